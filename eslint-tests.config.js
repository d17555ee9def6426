// `npm run lint:tests`: tests and benches with types. A promise that is not awaited is a test that cannot fail.
export { typedTests as default } from './eslint.config.js';
