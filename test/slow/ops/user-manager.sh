# A shell with a user manager of systemd, which a machine without systemd can have too: bash reads this file in namespaces of its own
# for mounts and processes, as root, and then commands. /etc, /opt and /run/systemd are copies that nobody else sees, the manager
# has a control group of its own, and everything ends with the shell.
#   FOLDER  an empty folder       UNITS  lines for the section [Service] of all units of Kasir
# Nothing reaches the machine, and mounts of the manager's children, such as credentials, reach the manager, as in a real system.
mount --make-rprivate /
mount --make-rshared /
mkdir "$FOLDER/copies"
mount -t tmpfs tmpfs "$FOLDER/copies"
for place in etc opt; do
  mkdir -p "$FOLDER/copies/$place/upper" "$FOLDER/copies/$place/work"
  mount -t overlay overlay -o "lowerdir=/$place,upperdir=$FOLDER/copies/$place/upper,workdir=$FOLDER/copies/$place/work" "/$place"
done
# A system that was booted with systemd has these folders, and units hide other files with the nodes.
mkdir -p /run/systemd
mount -t tmpfs tmpfs /run/systemd
mkdir -p /run/systemd/system /run/systemd/inaccessible/dir
touch /run/systemd/inaccessible/reg
mkfifo /run/systemd/inaccessible/fifo
mknod /run/systemd/inaccessible/chr c 0 0
mknod /run/systemd/inaccessible/blk b 0 0
python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('/run/systemd/inaccessible/sock')"

# The manager reads the folder in which an installation has its units.
mkdir -p /etc/systemd/system /etc/systemd/user
mount -t tmpfs tmpfs /etc/systemd/system
mount --bind /etc/systemd/system /etc/systemd/user
mkdir -p /etc/systemd/system/kasir-@.service.d
printf '[Service]\n%b\n' "$UNITS" > /etc/systemd/system/kasir-@.service.d/test.conf

# Without a group of its own it would move every process of the machine into one.
for group in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  test -e "$group/cgroup.procs" || continue
  mkdir "$group/$GROUP"
  echo $$ > "$group/$GROUP/cgroup.procs"
done
# Credentials are below it, so that it must be in no place that units hide.
export XDG_RUNTIME_DIR=/run/systemd/runtime HOME="$FOLDER"
mkdir "$XDG_RUNTIME_DIR"
env -i PATH="$PATH" HOME="$HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" /lib/systemd/systemd --user > "$FOLDER/manager.log" 2>&1 &
until command systemctl --user list-units > "$FOLDER/systemctl.log" 2>&1; do
  kill -0 $! || exit
  sleep 0.1
done
systemctl() { command systemctl --user "$@"; }
