// The first three creates of a newcomer: that of README.md, of the quick start and of "Try it out" in the reference.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { useService } from '#test/support/standing/service.js';

interface Create {
  readonly key: string;
  readonly body: object;
}

/** The first `curl` with an idempotency key. */
function parseCommand(text: string): Create {
  const [, key = ''] = /Idempotency-Key: ([^']+)'/.exec(text) ?? [];
  const [, body = ''] = /-d '(\{[^']+\})'/.exec(text) ?? [];
  return { key, body: JSON.parse(body) as object };
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      '/v1/payments',
      {
        readonly post: {
          readonly requestBody: { readonly content: Readonly<Record<string, Body>> };
        };
      }
    >
  >;
  readonly components: {
    readonly parameters: Readonly<Record<'IdempotencyKey', { readonly example: string }>>;
  };
}
interface Body {
  readonly example: object;
}

function readExample({ paths, components }: OpenApi): Create {
  const { content } = paths['/v1/payments'].post.requestBody;
  const key = components.parameters.IdempotencyKey.example;
  return { key, body: content['application/json']?.example ?? {} };
}

t.test(
  'the creates of README, quick start and reference succeed one after the other',
  async (t) => {
    const { api, baseUrl } = await useService();
    const page = await (await fetch(`${baseUrl}/docs/quick-start`)).text();
    const document = (await (await fetch(`${baseUrl}/docs/openapi.json`)).json()) as OpenApi;
    const creates = [
      parseCommand(readFileSync(join(findPackageRoot(), 'README.md'), 'utf8')),
      parseCommand(page.replaceAll('&quot;', '"').replaceAll('&#39;', "'")),
      readExample(document),
    ];
    for (const { key, body } of creates) t.equal((await api.create(body, key)).status, 201, key);
  },
);
