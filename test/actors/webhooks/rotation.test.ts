// Rotations at running workers: a receiver that switches at any moment of the overlap never sees a wrong signature, and a
// revoked secret signs nothing any more, queued deliveries included.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { ANONYMOUS } from '#store/postgres/operations/audit.js';
import { rotateEndpointSecret } from '#store/postgres/webhooks/endpoint-secrets.js';
import { addEvents, countDeliveries, secretsKeys } from '#test/support/webhooks/outbox.js';
import { answerWith, type Received } from '#test/support/webhooks/receiver.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';

/** The test ends it. */
const OVERLAP_MS = 3_600_000;
/** The answer to a signature with the revoked secret. */
const REVOKED_STATUS = 498;
const ROUNDS = 4;
const QUEUED = 200;

const stage = await startWebhookStage(t, { processes: 2 });
const { sql, receiver, merchantId, endpoint } = stage;
let ownSecret = endpoint.secret;

async function rotate(overlapMs: number): Promise<string> {
  const secret = makeWebhookSecret(randomBytes(32));
  const sealedSecret = sealSecret(secretsKeys, endpoint.id, secret);
  const key = { id: endpoint.id, merchantId };
  const rotated = await rotateEndpointSecret(sql, { userId: ANONYMOUS, address: '' }, key, {
    sealedSecret,
    overlapMs,
  });
  if (typeof rotated === 'string') throw new Error(rotated);
  return secret;
}

function isRight({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
  } catch {
    return false;
  }
  return isSignatureRight(headers, body, secret);
}

const settle = () =>
  waitUntil('all is delivered', async () => {
    return (await countDeliveries(sql))['pending'] === undefined;
  });

t.test(
  'a receiver that switches secrets during an overlap never sees a wrong signature',
  async (t) => {
    const bad: Received[] = [];
    receiver.behave((received, response) => {
      if (!isRight(received, ownSecret)) bad.push(received);
      answerWith(200)(received, response);
    });
    let isOver = false;
    const emitted: string[] = [];
    const emitting = (async () => {
      while (!isOver) {
        emitted.push(...(await addEvents(sql, merchantId, 10)));
        const least = emitted.length - 20;
        await waitUntil('most have arrived', () => receiver.received.length >= least);
      }
    })();
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = receiver.received.length;
      const next = await rotate(OVERLAP_MS);
      const earlier = [...emitted];
      await waitUntil('attempts from before the overlap have arrived', () => {
        const arrived = new Set(receiver.received.map(({ id }) => id));
        return earlier.every((id) => arrived.has(id));
      });
      await waitUntil('some are signed with both', () =>
        receiver.received
          .slice(before)
          .some(({ headers }) => 'x-service-signature-next' in headers),
      );
      ownSecret = next;
      await sql`update webhook_endpoints set switch_at = now() where id = ${endpoint.id}`;
      const switched = receiver.received.length;
      await waitUntil('the new secret alone signs', () =>
        receiver.received
          .slice(switched)
          .some(({ headers }) => !('x-service-signature-next' in headers)),
      );
    }
    isOver = true;
    await emitting;
    await settle();
    t.equal(bad.length, 0);
    t.ok(receiver.received.length > 100, `${receiver.received.length} deliveries were verified`);
  },
);

t.test('deliveries queued before a revocation are signed with the new secret', async (t) => {
  receiver.behave(answerWith(503));
  await addEvents(sql, merchantId, QUEUED);
  await waitUntil('all are queued', async () => {
    return Number((await countDeliveries(sql))['pending']) >= QUEUED;
  });
  const revoked = ownSecret;
  ownSecret = await rotate(0);
  const [now] = await sql<{ at: Date }[]>`select now() as at`;
  receiver.behave((received, response) => {
    const status = isRight(received, revoked) ? REVOKED_STATUS : 401;
    answerWith(isRight(received, ownSecret) ? 200 : status)(received, response);
  });
  await settle();
  const late = await sql`
    select from webhook_attempts where status_code = ${REVOKED_STATUS} and at > ${now?.at ?? null}`;
  t.equal(late.length, 0, 'no attempt that began after the revocation');
  const rows = await sql`select from webhook_deliveries where status = 'dead'`;
  t.equal(rows.length, 0, 'all were accepted with the new secret');
});
