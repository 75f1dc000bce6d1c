# Completion for fish. It asks the program itself, so that it knows what the program knows.

function __bankshot_verbs
    bankshot --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

function __bankshot_models
    bankshot models 2>/dev/null | tail -n +2 | string replace -rf '^([a-z][a-z0-9-]*) .*' '$1'
end

function __bankshot_arguments
    set -l words (commandline -opc)
    if test "$words[1]" = bankshot-view # the same as bankshot view
        set words bankshot view $words[2..]
    end
    set -l verb $words[2]
    if string match -q -- '-*' (commandline -ct)
        bankshot $verb --help 2>/dev/null | string replace -rf '^ +(?:-[a-z], )?(--[a-z-]+).*' '$1'
    else if contains -- $words[-1] -m --model models
        __bankshot_models
    else if string match -q -- '--*' $words[-1]
        bankshot $verb $words[-1] '?' 2>&1 </dev/null |
            string replace -rf '.* is one of (.*), not .*' '$1' | string split ', '
    end
end

complete -c bankshot -n __fish_use_subcommand -f -a '(__bankshot_verbs)'
complete -c bankshot -n 'not __fish_use_subcommand' -a '(__bankshot_arguments)'
complete -c bankshot-view -a '(__bankshot_arguments)'

complete -c bankshot-capture -n "string match -q -- '-*' (commandline -ct)" -a "(
    bankshot-capture --help 2>/dev/null | string replace -rf '^ +(?:-[a-z], )?(--[a-z-]+).*' '\$1')"
