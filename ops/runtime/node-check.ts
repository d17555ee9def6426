// uWebSockets.js is native: it has one build for each version of Node (its ABI), system and processor. Without the right one
// no gateway runs. The other processes do not load it, and refuse such a Node too, so that one installation has one Node.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './config.js';
import { findPackageRoot } from './package-root.js';

const PACKAGE = 'node_modules/uWebSockets.js';
/** The folders of its builds: in the npm package, and in the original release. */
const FOLDERS = ['dist/bin', ''];

/**
 * Checks by the names of files, which takes no time and loads nothing.
 * @throws StartError when the installed uWebSockets.js has no build for the Node that runs this
 */
export function checkNode(root = findPackageRoot()): void {
  const { platform, arch, versions } = process;
  const build = `uws_${platform}_${arch}_${versions.modules}.node`;
  if (!existsSync(join(root, PACKAGE))) return;
  if (FOLDERS.some((folder) => existsSync(join(root, PACKAGE, folder, build)))) return;
  throw new StartError(
    `Node ${versions.node} has no build of uWebSockets.js (${build} is not in ${PACKAGE}): run the process with Node 22, ` +
      'or with another version that docs/operations/node.md#versions-of-node lists',
  );
}
