/*
 * Makes each file-system call that Node has no way to make, once each, in the folder given: the shim's test reads its log
 * to see that none is missed. Exits with 1 and the name of the first call that failed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MUST(call) \
  if ((call) < 0) return perror(#call), 1

int main(int count, char **arguments) {
  if (count != 2 || chdir(arguments[1]) != 0) return fputs("usage: probe FOLDER\n", stderr), 2;
  int here = open(".", O_RDONLY | O_DIRECTORY);
  struct iovec word = {"probe", 5};

  int file = openat(here, "a", O_CREAT | O_RDWR, 0600);
  MUST(file);
  MUST(pwritev(file, &word, 1, 0));
  int other = creat("b", 0600);
  MUST(other);
  MUST(lseek(file, 0, SEEK_SET));
  MUST(sendfile(other, file, NULL, 5));
  MUST(copy_file_range(file, &(off64_t){0}, other, &(off64_t){0}, 5, 0));
  MUST(truncate("b", 1));
  MUST(fchmodat(here, "b", 0644, 0));
  MUST(renameat(here, "b", here, "c"));
  MUST(renameat2(here, "c", here, "d", RENAME_NOREPLACE));
  MUST(linkat(here, "d", here, "e", 0));
  MUST(symlinkat("d", here, "f"));
  MUST(mkdirat(here, "g", 0700));
  MUST(unlinkat(here, "g", AT_REMOVEDIR));
  return 0;
}
