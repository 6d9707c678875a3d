/*
 * Fails, shortens or kills at the n-th mutating file-system call below one folder. Linux with glibc, preloaded:
 *
 *   cc -shared -fPIC -O1 -o shim.so shim.c -ldl -lpthread
 *   LD_PRELOAD=./shim.so FAULT_ROOT=folder FAULT_AT=3 FAULT_MODE=errno:EIO node program.mjs
 *
 *   FAULT_ROOT            the folder. It and everything below it count; without it the library does nothing.
 *   FAULT_AT              which call, from 0. Without it the calls are only counted and logged.
 *   FAULT_MODE            kill         SIGKILL before the call is made
 *                         kill-after   make the call, then SIGKILL
 *                         kill-half    write half the bytes, then SIGKILL; as `kill` where the call writes no bytes
 *                         short        write half the bytes and return that; passes where the call writes no bytes.
 *                                      Node never shows it to a program: libuv writes the rest itself, as a further call
 *                         short:NAME   so that a program does see it: as `short`, then the next call of the same thread,
 *                                      which is libuv's, fails with ENOSPC, EDQUOT or EIO
 *                         errno:NAME   fail with EIO, ENOSPC, EROFS, EDQUOT, EACCES or EMFILE (EMFILE: only opens count)
 *                         edit:MANNER  a person saves FAULT_EDIT_FILE with FAULT_EDIT_TEXT before the call, which then goes on.
 *                                      in-place: opened, emptied and written; rename: a new file moved over it; held: as
 *                                      in-place, but opened before the first call; slow: emptied here, written some
 *                                      calls later. What did not come to pass by the end is done at the end
 *                         stop         SIGSTOP before the call; whoever started the process looks, and lets it go on
 *   FAULT_EDIT_KILL       1: SIGKILL right after that save
 *   FAULT_READS           1: opens for reading, reads and stats count too
 *   FAULT_STICKY          1: so does every later counted call (short:NAME: all later calls fail)
 *   FAULT_ONLY            name,name: only these calls count
 *   FAULT_LOG             file that gets a line `index name path` per counted call, also for the one that kills
 *   FAULT_SYNC_TWICE_LOG  file that gets a line `name fd path` when a descriptor is synced again after a failed sync
 *
 * The index runs over all threads of one process. The variables are removed at the start, so children run unharmed.
 * A program may set them again for itself: setting FAULT_AT, last, ends what was asked for and begins anew; empty, it only ends.
 * A call is named without its 64. Paths are logged resolved, with `\` and newline written as `\\` and `\n`.
 * Not seen: stdio streams, memory maps, io_uring (set UV_USE_IO_URING=0), duplicates of a descriptor.
 */
#undef _FORTIFY_SOURCE /* its inline open() and write() would collide with ours */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The function we stand in front of, as `real`. Two threads may both look it up; they find the same. */
#define REAL(name)                  \
  static __typeof__(&name) real;    \
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, #name)

/* What was asked for: set before main, or by the program itself between two runs. */
typedef enum { MODE_NONE, MODE_KILL, MODE_KILL_AFTER, MODE_KILL_HALF, MODE_SHORT, MODE_SHORT_THEN_ERRNO, MODE_ERRNO, MODE_EDIT, MODE_STOP } fault_mode;

static bool armed = false;
static char root[PATH_MAX];
static long fault_at = -1;
static fault_mode mode = MODE_NONE;
static int fault_errno = 0;
static bool sticky = false;
static char *only = NULL; /* ",name,name," */
static bool count_reads = false;
static int call_log = -1;
static int sync_twice_log = -1;

/* The real syscall(), for our own log files: nothing we do ourselves may count. */
static long (*raw)(long, ...);

static atomic_long calls = 0;
static atomic_bool dying = false;
static _Thread_local bool fail_next = false;

static bool below_root(const char *path) {
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static bool append_name(char out[PATH_MAX], const char *name) {
  size_t length = strlen(out);
  if (length == 1) length = 0; /* "/" */
  return snprintf(out + length, PATH_MAX - length, "/%s", name) < (int)(PATH_MAX - length);
}

static bool resolve(char *path, char out[PATH_MAX]);

/* Resolves the folder, keeps the last name: what unlink, rename and their like act on. Writes into `path`. */
static bool resolve_parent(char *path, char out[PATH_MAX]) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') path[--length] = '\0';
  char *slash = strrchr(path, '/');
  if (slash == path && slash[1] == '\0') return strcpy(out, "/"), true;
  *slash = '\0';
  char top[] = "/";
  return resolve(slash == path ? top : path, out) && append_name(out, slash + 1);
}

/* Follows links as far as the path exists. A `..` after that stays as it is: the kernel refuses such a path anyway. */
static bool resolve(char *path, char out[PATH_MAX]) {
  return realpath(path, out) != NULL || resolve_parent(path, out);
}

static bool descriptor_path(int fd, char out[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length <= 0) return false;
  out[length] = '\0';
  return out[0] == '/'; /* not "pipe:[7]" */
}

static bool absolute_path(int folder, const char *path, char out[PATH_MAX]) {
  if (path == NULL || *path == '\0') return false;
  if (*path == '/') return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX;
  bool found = folder == AT_FDCWD ? getcwd(out, PATH_MAX) != NULL : descriptor_path(folder, out);
  return found && append_name(out, path);
}

typedef enum { THE_NAME, THROUGH_LINKS } path_end;

static bool finds(int folder, const char *path, path_end end, char out[PATH_MAX]) {
  char absolute[PATH_MAX];
  if (!armed || !absolute_path(folder, path, absolute)) return false;
  return (end == THROUGH_LINKS ? resolve(absolute, out) : resolve_parent(absolute, out)) && below_root(out);
}

static bool finds_descriptor(int fd, char out[PATH_MAX]) {
  return armed && descriptor_path(fd, out) && below_root(out);
}

static void append_line(int log, const char *head, const char *path) {
  if (log < 0) return;
  char line[2 * PATH_MAX + 128];
  size_t length = (size_t)snprintf(line, 128, "%s ", head);
  for (; *path; path++) {
    if (*path == '\\' || *path == '\n') line[length++] = '\\';
    line[length++] = *path == '\n' ? 'n' : *path;
  }
  line[length++] = '\n';
  raw(SYS_write, log, line, length);
}

typedef enum { PASS, FAIL, HALF, HALF_THEN_DIE, DIE_AFTER } verdict;
typedef enum { NO_BYTES, BYTES } payload;

/* The other threads stop at their next counted call: SIGKILL may take a moment to reach them. */
static _Noreturn void die(void) {
  atomic_store(&dying, true);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* The person. Saves with raw calls, as another process would. */
typedef enum { IN_PLACE, BY_RENAME, HELD, SLOW } manner_of_saving;
enum { SLOW_CALLS = 4 };
static manner_of_saving manner = IN_PLACE;
static char edit_file[PATH_MAX];
static char *edit_text = NULL;
static bool edit_kills = false;
static int edited_file = -1;
static bool edit_pending = false;

static int open_edited(const char *path, int flags) {
  return (int)raw(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC | flags, 0600);
}

static void write_and_close(int fd) {
  raw(SYS_write, fd, edit_text, strlen(edit_text));
  raw(SYS_close, fd);
}

static void save(void) {
  edit_pending = false;
  if (manner == BY_RENAME) {
    char beside[PATH_MAX + 2];
    snprintf(beside, sizeof beside, "%s~", edit_file);
    write_and_close(open_edited(beside, O_CREAT | O_TRUNC));
    raw(SYS_renameat2, AT_FDCWD, beside, AT_FDCWD, edit_file, 0);
  } else {
    if (edited_file < 0) edited_file = open_edited(edit_file, O_CREAT | O_TRUNC);
    if (manner == HELD) raw(SYS_ftruncate, edited_file, 0);
    write_and_close(edited_file);
    edited_file = -1;
  }
  if (edit_kills) die();
}

static void edit_at(long index) {
  if (!edit_pending || index < fault_at) return;
  if (manner == SLOW && edited_file < 0) edited_file = open_edited(edit_file, O_CREAT | O_TRUNC);
  if (manner != SLOW || index >= fault_at + SLOW_CALLS) save();
}

/* What did not come to pass before the end comes with it. */
__attribute__((destructor)) static void finish_edit(void) {
  if (armed && edit_pending) save();
}

static bool opens(const char *name) {
  return strcmp(name, "open") == 0 || strcmp(name, "openat") == 0 || strcmp(name, "creat") == 0;
}

static bool counts(const char *name) {
  if (mode == MODE_ERRNO && fault_errno == EMFILE && !opens(name)) return false;
  if (only == NULL) return true;
  char wanted[64];
  snprintf(wanted, sizeof wanted, ",%s,", name);
  return strstr(only, wanted) != NULL;
}

static verdict judge(const char *name, const char *path, payload payload) {
  if (atomic_load(&dying)) for (;;) pause();
  if (!counts(name)) return PASS;

  long index = atomic_fetch_add(&calls, 1);
  char head[96];
  snprintf(head, sizeof head, "%ld %s", index, name);
  append_line(call_log, head, path);

  if (fail_next) return fail_next = false, FAIL;
  if (mode == MODE_EDIT) return edit_at(index), PASS;
  bool struck = fault_at >= 0 && (index == fault_at || (sticky && index > fault_at));
  if (!struck) return PASS;
  switch (mode) {
    case MODE_KILL: die();
    case MODE_KILL_AFTER: return DIE_AFTER;
    case MODE_KILL_HALF: if (payload == NO_BYTES) die(); return HALF_THEN_DIE;
    case MODE_SHORT: return payload == BYTES ? HALF : PASS;
    case MODE_SHORT_THEN_ERRNO:
      if (index > fault_at) return FAIL;
      if (payload == NO_BYTES) return PASS;
      return fail_next = true, HALF;
    case MODE_ERRNO: return FAIL;
    case MODE_STOP: raise(SIGSTOP); break;
    case MODE_EDIT:
    case MODE_NONE: break;
  }
  return PASS;
}

static verdict judge_descriptor(const char *name, int fd, payload payload) {
  int before = errno;
  char path[PATH_MAX];
  verdict v = finds_descriptor(fd, path) ? judge(name, path, payload) : PASS;
  errno = v == FAIL ? fault_errno : before;
  return v;
}

static verdict judge_path(const char *name, int folder, const char *path, path_end end) {
  int before = errno;
  char resolved[PATH_MAX];
  verdict v = finds(folder, path, end, resolved) ? judge(name, resolved, NO_BYTES) : PASS;
  errno = v == FAIL ? fault_errno : before;
  return v;
}

/* One call with two ends counts once, under the new name if that is below the root, else under the old one. */
static verdict judge_move(const char *name, int from_folder, const char *from, int to_folder, const char *to) {
  int before = errno;
  char resolved[PATH_MAX];
  bool found = finds(to_folder, to, THE_NAME, resolved) || finds(from_folder, from, THE_NAME, resolved);
  verdict v = found ? judge(name, resolved, NO_BYTES) : PASS;
  errno = v == FAIL ? fault_errno : before;
  return v;
}

static long after(verdict v, long result) {
  if (v == DIE_AFTER || v == HALF_THEN_DIE) die();
  return result;
}

/* Makes the call unless it is to fail. */
#define CARRY_OUT(v, call) ((v) == FAIL ? -1 : after((v), (call)))

/* A short write still writes something: a caller that repeats until all is written must come to an end. */
static size_t allowed(verdict v, size_t size) {
  if (v == HALF) return size > 1 ? size / 2 : size;
  if (v == HALF_THEN_DIE) return size / 2;
  return size;
}

/* The leading part of a vector that the verdict allows; fills `part` and returns how many pieces it has. */
static int allowed_pieces(verdict v, const struct iovec *vector, int count, struct iovec part[IOV_MAX]) {
  size_t total = 0;
  for (int i = 0; i < count; i++) total += vector[i].iov_len;
  size_t left = allowed(v, total);
  int pieces = 0;
  for (; pieces < count && (left > 0 || pieces == 0); pieces++) {
    part[pieces] = vector[pieces];
    if (part[pieces].iov_len > left) part[pieces].iov_len = left;
    left -= part[pieces].iov_len;
  }
  return pieces;
}

/*
 * Descriptors with a failed sync, by number. Cleared before a close, while the number is still the caller's, and after an
 * open, whose number may have been given back in a way we did not see.
 */
enum { MAX_FD = 65536 };
static atomic_bool sync_failed[MAX_FD];

static void forget_descriptor(int fd) {
  if (fd >= 0 && fd < MAX_FD) atomic_store(&sync_failed[fd], false);
}

static int opened(int fd) {
  forget_descriptor(fd);
  return fd;
}

static bool may_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

static verdict judge_open(const char *name, int folder, const char *path, int flags) {
  if (!may_write(flags) && !count_reads) return PASS;
  bool the_link_itself = (flags & O_NOFOLLOW) != 0 || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  return judge_path(name, folder, path, the_link_itself ? THE_NAME : THROUGH_LINKS);
}

/* The mode is only there when the flags say so; reading it otherwise would read garbage. */
#define OPEN_PERMISSIONS(permissions, flags)                   \
  mode_t permissions = 0;                                      \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    permissions = va_arg(rest, mode_t);                        \
    va_end(rest);                                              \
  }

int open(const char *path, int flags, ...) {
  REAL(open);
  OPEN_PERMISSIONS(permissions, flags);
  verdict v = judge_open("open", AT_FDCWD, path, flags);
  return CARRY_OUT(v, opened(real(path, flags, permissions)));
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  OPEN_PERMISSIONS(permissions, flags);
  verdict v = judge_open("open", AT_FDCWD, path, flags);
  return CARRY_OUT(v, opened(real(path, flags, permissions)));
}

int openat(int folder, const char *path, int flags, ...) {
  REAL(openat);
  OPEN_PERMISSIONS(permissions, flags);
  verdict v = judge_open("openat", folder, path, flags);
  return CARRY_OUT(v, opened(real(folder, path, flags, permissions)));
}

int openat64(int folder, const char *path, int flags, ...) {
  REAL(openat64);
  OPEN_PERMISSIONS(permissions, flags);
  verdict v = judge_open("openat", folder, path, flags);
  return CARRY_OUT(v, opened(real(folder, path, flags, permissions)));
}

int creat(const char *path, mode_t permissions) {
  REAL(creat);
  verdict v = judge_path("creat", AT_FDCWD, path, THROUGH_LINKS);
  return CARRY_OUT(v, opened(real(path, permissions)));
}

int creat64(const char *path, mode_t permissions) {
  REAL(creat64);
  verdict v = judge_path("creat", AT_FDCWD, path, THROUGH_LINKS);
  return CARRY_OUT(v, opened(real(path, permissions)));
}

/* Not counted: Linux has closed the descriptor whatever close() returns. */
int close(int fd) {
  REAL(close);
  forget_descriptor(fd);
  return real(fd);
}

ssize_t read(int fd, void *bytes, size_t size) {
  REAL(read);
  verdict v = count_reads ? judge_descriptor("read", fd, NO_BYTES) : PASS;
  return CARRY_OUT(v, real(fd, bytes, size));
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at) {
  REAL(pread64);
  verdict v = count_reads ? judge_descriptor("read", fd, NO_BYTES) : PASS;
  return CARRY_OUT(v, real(fd, bytes, size, at));
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *out) {
  REAL(statx);
  verdict v = count_reads ? judge_path("stat", folder, path, THE_NAME) : PASS;
  return CARRY_OUT(v, real(folder, path, flags, mask, out));
}

ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(write);
  verdict v = judge_descriptor("write", fd, BYTES);
  return CARRY_OUT(v, real(fd, bytes, allowed(v, size)));
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  REAL(pwrite);
  verdict v = judge_descriptor("pwrite", fd, BYTES);
  return CARRY_OUT(v, real(fd, bytes, allowed(v, size), at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  REAL(pwrite64);
  verdict v = judge_descriptor("pwrite", fd, BYTES);
  return CARRY_OUT(v, real(fd, bytes, allowed(v, size), at));
}

ssize_t writev(int fd, const struct iovec *vector, int count) {
  REAL(writev);
  if (count < 1 || count > IOV_MAX) return real(fd, vector, count);
  verdict v = judge_descriptor("writev", fd, BYTES);
  struct iovec part[IOV_MAX];
  return CARRY_OUT(v, real(fd, part, allowed_pieces(v, vector, count, part)));
}

ssize_t pwritev(int fd, const struct iovec *vector, int count, off_t at) {
  REAL(pwritev);
  if (count < 1 || count > IOV_MAX) return real(fd, vector, count, at);
  verdict v = judge_descriptor("pwritev", fd, BYTES);
  struct iovec part[IOV_MAX];
  return CARRY_OUT(v, real(fd, part, allowed_pieces(v, vector, count, part), at));
}

ssize_t pwritev64(int fd, const struct iovec *vector, int count, off64_t at) {
  REAL(pwritev64);
  if (count < 1 || count > IOV_MAX) return real(fd, vector, count, at);
  verdict v = judge_descriptor("pwritev", fd, BYTES);
  struct iovec part[IOV_MAX];
  return CARRY_OUT(v, real(fd, part, allowed_pieces(v, vector, count, part), at));
}

ssize_t sendfile(int to, int from, off_t *at, size_t size) {
  REAL(sendfile);
  verdict v = judge_descriptor("sendfile", to, BYTES);
  return CARRY_OUT(v, real(to, from, at, allowed(v, size)));
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
  REAL(sendfile64);
  verdict v = judge_descriptor("sendfile", to, BYTES);
  return CARRY_OUT(v, real(to, from, at, allowed(v, size)));
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags) {
  REAL(copy_file_range);
  verdict v = judge_descriptor("copy_file_range", to, BYTES);
  return CARRY_OUT(v, real(from, from_at, to, to_at, allowed(v, size), flags));
}

/* libuv closes and copies through syscall() rather than the functions above. */
long syscall(long number, ...) {
  REAL(syscall);
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);

  if (number == SYS_close) forget_descriptor((int)a[0]);
  if (number == SYS_statx && count_reads) {
    verdict v = judge_path("stat", (int)a[0], (const char *)a[1], THE_NAME);
    return CARRY_OUT(v, real(number, a[0], a[1], a[2], a[3], a[4], a[5]));
  }
  if (number == SYS_copy_file_range) {
    verdict v = judge_descriptor("copy_file_range", (int)a[2], BYTES);
    return CARRY_OUT(v, real(number, a[0], a[1], a[2], a[3], allowed(v, (size_t)a[4]), a[5]));
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  verdict v = judge_descriptor("ftruncate", fd, NO_BYTES);
  return CARRY_OUT(v, real(fd, size));
}

int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  verdict v = judge_descriptor("ftruncate", fd, NO_BYTES);
  return CARRY_OUT(v, real(fd, size));
}

int truncate(const char *path, off_t size) {
  REAL(truncate);
  verdict v = judge_path("truncate", AT_FDCWD, path, THROUGH_LINKS);
  return CARRY_OUT(v, real(path, size));
}

int truncate64(const char *path, off64_t size) {
  REAL(truncate64);
  verdict v = judge_path("truncate", AT_FDCWD, path, THROUGH_LINKS);
  return CARRY_OUT(v, real(path, size));
}

/*
 * After a failed sync the kernel may mark the lost pages clean, so that a second sync of the descriptor succeeds and
 * promises what is not there. Injected and true failures are remembered alike, whether or not syncs count.
 */
static int watched_sync(const char *name, int fd, int (*real)(int)) {
  int before = errno;
  char path[PATH_MAX];
  bool watched = fd >= 0 && fd < MAX_FD && finds_descriptor(fd, path);
  if (watched && atomic_load(&sync_failed[fd])) {
    char head[96];
    snprintf(head, sizeof head, "%s %d", name, fd);
    append_line(sync_twice_log, head, path);
  }
  errno = before;

  verdict v = judge_descriptor(name, fd, NO_BYTES);
  int result = CARRY_OUT(v, real(fd));
  if (watched && result != 0) atomic_store(&sync_failed[fd], true);
  return result;
}

int fsync(int fd) {
  REAL(fsync);
  return watched_sync("fsync", fd, real);
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return watched_sync("fdatasync", fd, real);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  verdict v = judge_move("rename", AT_FDCWD, from, AT_FDCWD, to);
  return CARRY_OUT(v, real(from, to));
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  REAL(renameat);
  verdict v = judge_move("renameat", from_folder, from, to_folder, to);
  return CARRY_OUT(v, real(from_folder, from, to_folder, to));
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REAL(renameat2);
  verdict v = judge_move("renameat2", from_folder, from, to_folder, to);
  return CARRY_OUT(v, real(from_folder, from, to_folder, to, flags));
}

int unlink(const char *path) {
  REAL(unlink);
  verdict v = judge_path("unlink", AT_FDCWD, path, THE_NAME);
  return CARRY_OUT(v, real(path));
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  verdict v = judge_path("unlinkat", folder, path, THE_NAME);
  return CARRY_OUT(v, real(folder, path, flags));
}

int rmdir(const char *path) {
  REAL(rmdir);
  verdict v = judge_path("rmdir", AT_FDCWD, path, THE_NAME);
  return CARRY_OUT(v, real(path));
}

int mkdir(const char *path, mode_t permissions) {
  REAL(mkdir);
  verdict v = judge_path("mkdir", AT_FDCWD, path, THE_NAME);
  return CARRY_OUT(v, real(path, permissions));
}

int mkdirat(int folder, const char *path, mode_t permissions) {
  REAL(mkdirat);
  verdict v = judge_path("mkdirat", folder, path, THE_NAME);
  return CARRY_OUT(v, real(folder, path, permissions));
}

char *mkdtemp(char *template) {
  REAL(mkdtemp);
  verdict v = judge_path("mkdtemp", AT_FDCWD, template, THE_NAME);
  if (v == FAIL) return NULL;
  char *made = real(template);
  after(v, 0);
  return made;
}

int link(const char *from, const char *to) {
  REAL(link);
  verdict v = judge_path("link", AT_FDCWD, to, THE_NAME);
  return CARRY_OUT(v, real(from, to));
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REAL(linkat);
  verdict v = judge_path("linkat", to_folder, to, THE_NAME);
  return CARRY_OUT(v, real(from_folder, from, to_folder, to, flags));
}

int symlink(const char *target, const char *path) {
  REAL(symlink);
  verdict v = judge_path("symlink", AT_FDCWD, path, THE_NAME);
  return CARRY_OUT(v, real(target, path));
}

int symlinkat(const char *target, int folder, const char *path) {
  REAL(symlinkat);
  verdict v = judge_path("symlinkat", folder, path, THE_NAME);
  return CARRY_OUT(v, real(target, folder, path));
}

int chmod(const char *path, mode_t permissions) {
  REAL(chmod);
  verdict v = judge_path("chmod", AT_FDCWD, path, THROUGH_LINKS);
  return CARRY_OUT(v, real(path, permissions));
}

int fchmod(int fd, mode_t permissions) {
  REAL(fchmod);
  verdict v = judge_descriptor("fchmod", fd, NO_BYTES);
  return CARRY_OUT(v, real(fd, permissions));
}

int fchmodat(int folder, const char *path, mode_t permissions, int flags) {
  REAL(fchmodat);
  verdict v = judge_path("fchmodat", folder, path, flags & AT_SYMLINK_NOFOLLOW ? THE_NAME : THROUGH_LINKS);
  return CARRY_OUT(v, real(folder, path, permissions, flags));
}

int chown(const char *path, uid_t user, gid_t group) {
  REAL(chown);
  verdict v = judge_path("chown", AT_FDCWD, path, THROUGH_LINKS);
  return CARRY_OUT(v, real(path, user, group));
}

int lchown(const char *path, uid_t user, gid_t group) {
  REAL(lchown);
  verdict v = judge_path("lchown", AT_FDCWD, path, THE_NAME);
  return CARRY_OUT(v, real(path, user, group));
}

int fchown(int fd, uid_t user, gid_t group) {
  REAL(fchown);
  verdict v = judge_descriptor("fchown", fd, NO_BYTES);
  return CARRY_OUT(v, real(fd, user, group));
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  REAL(utimensat);
  verdict v = judge_path("utimensat", folder, path, flags & AT_SYMLINK_NOFOLLOW ? THE_NAME : THROUGH_LINKS);
  return CARRY_OUT(v, real(folder, path, times, flags));
}

int futimens(int fd, const struct timespec times[2]) {
  REAL(futimens);
  verdict v = judge_descriptor("futimens", fd, NO_BYTES);
  return CARRY_OUT(v, real(fd, times));
}

/* A setting we do not understand must not become a test that passes because nothing was injected. */
static _Noreturn void refuse(const char *variable, const char *value) {
  dprintf(STDERR_FILENO, "fault shim: cannot use %s=%s\n", variable, value);
  _exit(125);
}

static void read_mode(const char *text) {
  static const struct { const char *name; fault_mode mode; int error_or_manner; } known[] = {
    {"kill", MODE_KILL, 0},
    {"kill-after", MODE_KILL_AFTER, 0},
    {"kill-half", MODE_KILL_HALF, 0},
    {"short", MODE_SHORT, 0},
    {"short:ENOSPC", MODE_SHORT_THEN_ERRNO, ENOSPC},
    {"short:EDQUOT", MODE_SHORT_THEN_ERRNO, EDQUOT},
    {"short:EIO", MODE_SHORT_THEN_ERRNO, EIO},
    {"errno:EIO", MODE_ERRNO, EIO},
    {"errno:ENOSPC", MODE_ERRNO, ENOSPC},
    {"errno:EROFS", MODE_ERRNO, EROFS},
    {"errno:EDQUOT", MODE_ERRNO, EDQUOT},
    {"errno:EACCES", MODE_ERRNO, EACCES},
    {"errno:EMFILE", MODE_ERRNO, EMFILE},
    {"edit:in-place", MODE_EDIT, IN_PLACE},
    {"edit:rename", MODE_EDIT, BY_RENAME},
    {"edit:held", MODE_EDIT, HELD},
    {"edit:slow", MODE_EDIT, SLOW},
    {"stop", MODE_STOP, 0},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(text, known[i].name) != 0) continue;
    mode = known[i].mode;
    if (mode == MODE_EDIT) manner = (manner_of_saving)known[i].error_or_manner;
    else fault_errno = known[i].error_or_manner;
    return;
  }
  refuse("FAULT_MODE", text);
}

static long read_index(const char *text) {
  char *end;
  long index = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || index < 0) refuse("FAULT_AT", text);
  return index;
}

static int open_log(const char *variable) {
  const char *path = getenv(variable);
  if (path == NULL) return -1;
  int fd = (int)raw(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) refuse(variable, path);
  return fd;
}

static void find_root(const char *text) {
  char absolute[PATH_MAX];
  if (!absolute_path(AT_FDCWD, text, absolute) || !resolve(absolute, root)) refuse("FAULT_ROOT", text);
  if (strcmp(root, "/") == 0) root[0] = '\0'; /* so that every path goes on with a slash */
}

static bool is_on(const char *variable) {
  const char *value = getenv(variable);
  return value != NULL && strcmp(value, "1") == 0;
}

static void read_edit(void) {
  const char *file = getenv("FAULT_EDIT_FILE");
  const char *text = getenv("FAULT_EDIT_TEXT");
  if (file == NULL || strlen(file) >= sizeof edit_file) refuse("FAULT_EDIT_FILE", file == NULL ? "" : file);
  if (text == NULL || (edit_text = strdup(text)) == NULL) refuse("FAULT_EDIT_TEXT", "");
  strcpy(edit_file, file);
  edit_kills = is_on("FAULT_EDIT_KILL");
  edited_file = manner == HELD ? open_edited(edit_file, 0) : -1;
  edit_pending = true;
}

static void begin(void) {
  const char *folder = getenv("FAULT_ROOT");
  if (folder == NULL) return;
  raw = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  find_root(folder);

  mode = MODE_NONE;
  fault_at = -1;
  atomic_store(&calls, 0);
  const char *wanted_mode = getenv("FAULT_MODE");
  if (wanted_mode != NULL) read_mode(wanted_mode);
  const char *index = getenv("FAULT_AT");
  if (index != NULL) fault_at = read_index(index);
  if (index != NULL && mode == MODE_NONE) refuse("FAULT_AT without FAULT_MODE", index);
  sticky = is_on("FAULT_STICKY");
  count_reads = is_on("FAULT_READS");
  const char *names = getenv("FAULT_ONLY");
  if (names != NULL && asprintf(&only, ",%s,", names) < 0) refuse("FAULT_ONLY", names);
  call_log = open_log("FAULT_LOG");
  sync_twice_log = open_log("FAULT_SYNC_TWICE_LOG");
  if (mode == MODE_EDIT) read_edit();
  /* Nobody would wake it after its parent has died. */
  if (mode == MODE_STOP) prctl(PR_SET_PDEATHSIG, SIGKILL);

  static const char *const ours[] = {
    "FAULT_ROOT", "FAULT_MODE", "FAULT_AT", "FAULT_STICKY", "FAULT_ONLY", "FAULT_LOG", "FAULT_SYNC_TWICE_LOG",
    "FAULT_READS", "FAULT_EDIT_FILE", "FAULT_EDIT_TEXT", "FAULT_EDIT_KILL",
  };
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) unsetenv(ours[i]);
  armed = true;
}

__attribute__((constructor)) static void start(void) {
  begin();
}

static void end(void) {
  finish_edit();
  armed = false;
  if (call_log >= 0) raw(SYS_close, call_log);
  if (sync_twice_log >= 0) raw(SYS_close, sync_twice_log);
  free(only);
  free(edit_text);
  only = edit_text = NULL;
  call_log = sync_twice_log = -1;
}

int setenv(const char *name, const char *value, int overwrite) {
  REAL(setenv);
  int result = real(name, value, overwrite);
  if (result != 0 || strcmp(name, "FAULT_AT") != 0) return result;
  if (armed) end();
  if (*value == '\0') unsetenv("FAULT_AT");
  else begin();
  return result;
}
