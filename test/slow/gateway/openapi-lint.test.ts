// Two linters that others wrote find neither errors nor warnings in the OpenAPI documents.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import t from 'tap';
import { DESCRIBED } from '#test/gateway/developers/openapi/documents.js';

/**
 * The only accepted findings. These paths are fixed by the API contract. No endpoint id reads `deliveries`, `dlq` or
 * `replays`, so the router and clients never confuse them.
 */
const FIXED_PATHS = ['deliveries/{delivery_id}', 'dlq/{delivery_id}', 'replays/{replay_id}'].map(
  (path) =>
    'no-ambiguous-paths: Paths should resolve unambiguously. Found two ambiguous paths: ' +
    `\`/v1/merchants/me/webhooks/{webhook_id}/rotate\` and \`/v1/merchants/me/webhooks/${path}\`.`,
);

const config = await createConfig({ extends: ['recommended'] });

async function lintWithRedocly(source: string): Promise<readonly string[]> {
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

async function lintWithSpectral(source: string): Promise<readonly string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });
  const problems = await linter.run(source);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`);
}

for (const { of, text } of DESCRIBED) {
  const accepted = of.path === '/docs/dashboard.json' ? FIXED_PATHS : [];
  t.test(`Redocly finds nothing in ${of.path}`, async (t) => {
    t.strictSame(await lintWithRedocly(text), accepted);
  });

  t.test(`Spectral finds nothing in ${of.path}`, async (t) => {
    t.strictSame(await lintWithSpectral(text), []);
  });
}

t.test('both linters find an error and a warning in a faulty document', async (t) => {
  const [merchants] = DESCRIBED;
  const faulty = (merchants?.text ?? '')
    .replace('"operationId":"listPayments"', '"operationId":"createPayment"')
    .replace('"tags":["Balance"]', '"tags":["Unknown"]');
  t.match((await lintWithRedocly(faulty)).join('\n'), /operation-operationId-unique/);
  t.match(
    (await lintWithSpectral(faulty)).join('\n'),
    /operation-operationId-unique[^]*operation-tag-defined/,
  );
});
