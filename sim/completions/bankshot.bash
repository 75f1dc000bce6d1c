# Completion for bash. It asks the program itself, so that it knows what the program knows.

_bankshot_verbs() {
    bankshot --help | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p'
}

_bankshot_topics() { # of help, besides verbs
    bankshot --help | sed -n "s/^'bankshot help \([a-z]*\)' .*/\1/p"
}

_bankshot_options() { # VERB
    bankshot "$1" --help | sed -n 's/^  *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}

_bankshot_models() {
    bankshot models | sed -n '/ no model: /d; 1!s/^\([a-z][a-z0-9-]*\) .*/\1/p'
}

_bankshot_values() { # VERB OPTION: the values between which the option chooses, if it does
    case $2 in
    -m | --model) _bankshot_models ;;
    --*) bankshot "$1" "$2" '?' 2>&1 | sed -n "s/.* is one of \(.*\), not .*/\1/p" | tr -d , ;;
    esac
}

_bankshot() {
    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words
    if ((COMP_CWORD == 1)); then
        words="$(_bankshot_verbs) help --help --version"
    elif [[ $verb == help ]]; then
        words="$(_bankshot_verbs) $(_bankshot_topics)"
    elif [[ $word == -* ]]; then
        words=$(_bankshot_options "$verb")
    else
        words=$(_bankshot_values "$verb" "${COMP_WORDS[COMP_CWORD - 1]}")
        [[ $words || $verb != models ]] || words=$(_bankshot_models)
    fi
    # Nothing found: bash completes file names.
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
} </dev/null 2>/dev/null

complete -o default -F _bankshot bankshot

_bankshot_view() { # bankshot-view ... is bankshot view ...
    COMP_WORDS=(bankshot view "${COMP_WORDS[@]:1}")
    ((++COMP_CWORD))
    _bankshot
}

complete -o default -F _bankshot_view bankshot-view

_bankshot_capture() {
    local word=${COMP_WORDS[COMP_CWORD]} words=
    [[ $word != -* ]] ||
        words=$(bankshot-capture --help | sed -n 's/^  *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
} </dev/null 2>/dev/null

complete -o default -o bashdefault -F _bankshot_capture bankshot-capture
