// Bodies of strangers: an open route reads 8 KiB at most, with and without a Content-Length.
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { request } from 'undici';
import { reply } from '#gateway/routing/response.js';
import { buildBodySpec, defineOpenRoute } from '#gateway/routing/route.js';
import { startTarget } from '#test/support/http/target.js';

const KIB = 1024;
const FRAME_BYTES = '{"text":""}'.length;

const target = await startTarget({
  routes: [
    defineOpenRoute({
      ...{ method: 'POST', path: '/open', cpuUs: 100, summary: 'open', answers: {} },
      body: buildBodySpec(Type.Object({ text: Type.String() })),
      handle: ({ body }) => reply(200, JSON.stringify({ length: body.text.length })),
    }),
  ],
});
t.teardown(() => target.server.stop(0));

/** A body of this size; with its length, or in chunks. */
async function send(bytes: number, isChunked: boolean): Promise<{ status: number; text: string }> {
  const body = Buffer.from(JSON.stringify({ text: 'a'.repeat(bytes - FRAME_BYTES) }));
  const { statusCode, body: answer } = await request(`http://127.0.0.1:${target.port}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: isChunked ? Readable.from([body.subarray(0, KIB), body.subarray(KIB)]) : body,
  });
  return { status: statusCode, text: await answer.text() };
}

for (const isChunked of [false, true]) {
  t.test(
    `an open route reads 8 KiB ${isChunked ? 'in chunks' : 'at once'}, not more`,
    async (t) => {
      t.match(await send(8 * KIB, isChunked), { status: 200 });
      const refused = await send(8 * KIB + 1, isChunked);
      t.equal(refused.status, 413);
      t.match(refused.text, /The body must be at most 8192 bytes\./);
    },
  );
}
