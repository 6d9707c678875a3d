/*
 * Cuts the power of a mounted ext4: `godown MOUNT`. From then on the file system writes nothing more, not even its
 * journal, so that the disk holds what had reached it. Unmount and mount again to see what a restart would find.
 *
 * Only a loop mount and only its top folder are accepted: any other path would take down the disk it happens to be on.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXT4_SHUTDOWN _IOR('X', 125, uint32_t)
#define WITHOUT_FLUSHING_THE_JOURNAL 2u
#define LOOP_DEVICES 7u

static int refuse(const char *mount, const char *reason) {
  fprintf(stderr, "godown: %s: %s\n", mount, reason);
  return 2;
}

int main(int count, char **arguments) {
  if (count != 2) return fputs("usage: godown MOUNT\n", stderr), 2;
  const char *mount = arguments[1];

  int folder = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return perror(mount), 1;
  struct stat here, above;
  if (fstat(folder, &here) != 0 || fstatat(folder, "..", &above, 0) != 0) return perror(mount), 1;
  if (here.st_dev == above.st_dev) return refuse(mount, "not a mount point");
  if (major(here.st_dev) != LOOP_DEVICES) return refuse(mount, "not a loop mount");

  uint32_t how = WITHOUT_FLUSHING_THE_JOURNAL;
  if (ioctl(folder, EXT4_SHUTDOWN, &how) != 0) return perror("godown"), 1;
  return 0;
}
