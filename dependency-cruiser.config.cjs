// The import rules of ARCHITECTURE.md. Imports point one way:
// actors/core, ops/runtime <- ops/net, store <- gateway, actors/* <- ops/cli, ops/dev.
const PROCESS = '^(gateway|actors/(payments|rails|webhooks))/';

const layers = [
  {
    name: 'core-is-pure',
    comment: 'actors/core may use TypeBox and node:crypto, nothing else',
    from: { path: '^actors/core/' },
    to: { pathNot: '^actors/core/|node_modules/@sinclair/typebox/|^(node:)?crypto$' },
  },
  {
    name: 'runtime-stands-alone',
    comment: 'ops/runtime imports nothing of ours',
    from: { path: '^ops/runtime/' },
    to: { path: '^(gateway|actors|store|bench|test|ops/(?!runtime/))' },
  },
  {
    name: 'net-is-below-processes',
    from: { path: '^ops/net/' },
    to: { path: '^(gateway|store|bench|test|actors/(?!core/)|ops/(cli|dev)/)' },
  },
  {
    name: 'store-is-below-processes',
    from: { path: '^store/' },
    to: { path: '^(gateway|bench|test|actors/(?!core/)|ops/(cli|dev|net)/)' },
  },
  {
    name: 'processes-never-import-each-other',
    comment: 'they meet in Redis and Postgres',
    from: { path: '^(gateway|actors/(?:payments|rails|webhooks))/' },
    to: { path: PROCESS, pathNot: '^$1/' },
  },
  {
    name: 'processes-are-below-operations',
    from: { path: PROCESS },
    to: { path: '^(ops/(cli|dev)|bench|test)/' },
  },
  {
    name: 'routing-is-the-ground-floor',
    comment: 'gateway/routing imports nothing of the gateway above it',
    from: { path: '^gateway/routing/' },
    to: { path: '^gateway/(?!routing/)' },
  },
  {
    name: 'nothing-imports-tests',
    from: { path: '^(gateway|actors|store|ops)/' },
    to: { path: '^(test|bench)/' },
  },
];

const packages = [
  {
    name: 'uws-in-gateway-http',
    from: { pathNot: '^(gateway/http/|bench/)' },
    to: { path: 'uWebSockets\\.js|uws-pack' },
  },
  {
    name: 'drivers-in-store',
    comment: 'ioredis and postgres are imported in store/ only, tests and benches aside',
    from: { pathNot: '^(store|test|bench)/' },
    to: { path: 'node_modules/(ioredis|postgres)/' },
  },
  {
    name: 'no-development-packages',
    from: { path: '^(gateway|actors|store|ops/(?!dev/))' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  { name: 'resolvable', from: {}, to: { couldNotResolve: true } },
  { name: 'no-cycles', from: {}, to: { circular: true } },
];

module.exports = {
  forbidden: [...layers, ...packages].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^gateway/web/|^dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['kasir-source', 'import', 'node', 'default', 'types'],
    },
  },
};
