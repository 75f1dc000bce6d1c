/*
 * The launcher's side of the socket. Each process of the program has a connection and a thread of
 * its own: were they served in turn, processes that wait for each other would wait forever.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp, posix_spawn, setenv */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIGNALLED = 128 };

struct connection {
    struct server *server;
    unsigned process;
    int socket;
    pthread_t thread;
    struct connection *next;
};

struct server {
    const struct bs_server_plan *plan;
    char folder[32];
    char path[48]; /* of the socket */
    int listener;
    int wake[2]; /* a pipe: closed when no more connections come */
    struct connection *connections;
    unsigned processes;
};

static bool failed(const char *what, struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "%s: %s", what, strerror(errno));
}

/* ---- connections ---------------------------------------------------------------------------- */

static bool read_socket(void *user, void *bytes, size_t size, size_t *got, struct bs_error *error)
{
    const int *socket = user;
    for (*got = 0; *got < size;) {
        const ssize_t piece = read(*socket, (char *)bytes + *got, size - *got);
        if (piece == 0)
            return true;
        if (piece < 0 && errno != EINTR)
            return failed("the program's capture", error);
        *got += piece > 0 ? (size_t)piece : 0;
    }
    return true;
}

static void *serve(void *user)
{
    struct connection *connection = user;
    const struct bs_server_plan *plan = connection->server->plan;
    const struct bs_item_source source = {
        .read = read_socket, .user = &connection->socket, .name = "the program's capture"};
    plan->serve(plan->user, connection->process, &source);
    close(connection->socket);
    return NULL;
}

static void add_connection(struct server *server, int socket)
{
    struct connection *connection = malloc(sizeof *connection);
    if (!connection) {
        close(socket);
        return;
    }
    *connection = (struct connection){.server = server,
                                      .process = server->processes,
                                      .socket = socket,
                                      .next = server->connections};
    if (pthread_create(&connection->thread, NULL, serve, connection) != 0) {
        close(socket);
        free(connection);
        return;
    }
    server->processes++;
    server->connections = connection;
}

/* Takes connections until the pipe is closed, and those then that are there already. */
static void *accept_all(void *user)
{
    struct server *server = user;
    struct pollfd waited[] = {{.fd = server->listener, .events = POLLIN},
                              {.fd = server->wake[0], .events = POLLIN}};
    bool last = false;
    while (!last) {
        if (poll(waited, 2, -1) < 0 && errno != EINTR)
            break;
        last = waited[1].revents != 0;
        for (int socket; (socket = accept(server->listener, NULL, NULL)) >= 0;) {
            fcntl(socket, F_SETFL, 0);
            fcntl(socket, F_SETFD, FD_CLOEXEC);
            add_connection(server, socket);
        }
    }
    return NULL;
}

/* ---- the socket ----------------------------------------------------------------------------- */

static bool listen_at(struct server *server, struct bs_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    /* Not where TMPDIR says: the path of a socket has to be short. */
    snprintf(server->folder, sizeof server->folder, "%s/bankshot-XXXXXX", P_tmpdir);
    if (!mkdtemp(server->folder))
        return failed(server->folder, error);
    snprintf(server->path, sizeof server->path, "%s/socket", server->folder);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", server->path);
    server->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (server->listener < 0 || fcntl(server->listener, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(server->listener, F_SETFD, FD_CLOEXEC) != 0 ||
        bind(server->listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, 64) != 0 || pipe(server->wake) != 0)
        return failed(server->path, error);
    fcntl(server->wake[0], F_SETFD, FD_CLOEXEC);
    fcntl(server->wake[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_all(struct server *server)
{
    if (server->listener >= 0)
        close(server->listener);
    for (unsigned i = 0; i < 2; i++)
        if (server->wake[i] >= 0)
            close(server->wake[i]);
    if (server->path[0])
        unlink(server->path);
    if (server->folder[0])
        rmdir(server->folder);
}

/* ---- the program ---------------------------------------------------------------------------- */

/* An interrupt is for the program; what it has left is written all the same. */
static bool start(const struct bs_server_plan *plan, pid_t *child, struct bs_error *error)
{
    posix_spawnattr_t attributes;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGQUIT);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    errno = posix_spawnp(child, plan->arguments[0], NULL, &attributes, plan->arguments, environ);
    const bool started = errno == 0;
    posix_spawnattr_destroy(&attributes);
    if (started)
        return true;
    return bs_fail(error, BS_USAGE, plan->arguments[0], 0, 0, "the program cannot be started: %s",
                   strerror(errno));
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

static bool run(struct server *server, struct bs_server_outcome *outcome, struct bs_error *error)
{
    pthread_t accepting;
    pid_t child;
    if (!listen_at(server, error))
        return false;
    if (setenv("BANKSHOT_CAPTURE_SOCKET", server->path, 1) != 0 ||
        setenv("CUDA_INJECTION64_PATH", server->plan->library, 1) != 0)
        return failed("the program's environment", error);
    errno = pthread_create(&accepting, NULL, accept_all, server);
    if (errno != 0)
        return failed("a thread", error);
    const bool started = start(server->plan, &child, error);
    if (started)
        outcome->status = wait_for(child);
    close(server->wake[1]);
    server->wake[1] = -1;
    pthread_join(accepting, NULL);
    for (struct connection *next; server->connections; server->connections = next) {
        next = server->connections->next;
        pthread_join(server->connections->thread, NULL);
        free(server->connections);
    }
    outcome->processes = server->processes;
    return started;
}

bool bs_server_run(const struct bs_server_plan *plan, struct bs_server_outcome *outcome,
                   struct bs_error *error)
{
    struct server server = {.plan = plan, .listener = -1, .wake = {-1, -1}};
    *outcome = (struct bs_server_outcome){0};
    const bool done = run(&server, outcome, error);
    close_all(&server);
    return done;
}
