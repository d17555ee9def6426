// Rotations: the states, and arbitrary orders of rotations, time, deliveries and a receiver that
// changes over.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import {
  selectLiveSecrets,
  rotateSecret,
  type StoredSecrets,
} from '#actors/core/webhooks/rotation.js';
import { makeWebhookSecret, buildSignedHeaders } from '#actors/core/webhooks/sign.js';

const HOUR_MS = 3_600_000;
const STEADY: StoredSecrets = { secret: 'one', nextSecret: null, switchInMs: null };
const OVERLAP: StoredSecrets = { secret: 'one', nextSecret: 'two', switchInMs: 1 };

t.test('the live secrets follow from the state of the rotation', (t) => {
  t.strictSame(selectLiveSecrets(STEADY), { current: 'one', next: null });
  t.strictSame(selectLiveSecrets(OVERLAP), { current: 'one', next: 'two' });
  t.strictSame(selectLiveSecrets({ ...OVERLAP, switchInMs: 0 }), { current: 'two', next: null });
  t.strictSame(selectLiveSecrets({ ...OVERLAP, switchInMs: -HOUR_MS }), {
    current: 'two',
    next: null,
  });
  t.end();
});

t.test('a rotation starts an overlap, is rejected during one, and revokes without one', (t) => {
  const rotation = { newSecret: 'new', overlapMs: HOUR_MS };
  const rotated = { secret: 'one', nextSecret: 'new', switchInMs: HOUR_MS };
  t.strictSame(rotateSecret(STEADY, rotation), rotated);
  t.strictSame(rotateSecret({ ...OVERLAP, switchInMs: 0 }, rotation), {
    ...rotated,
    secret: 'two',
  });
  t.equal(rotateSecret(OVERLAP, rotation), 'rotation_overlaps');
  const revoked = { secret: 'new', nextSecret: null, switchInMs: null };
  for (const stored of [STEADY, OVERLAP]) {
    t.strictSame(rotateSecret(stored, { ...rotation, overlapMs: 0 }), revoked);
  }
  t.end();
});

type Step =
  | { kind: 'rotate'; overlapMs: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'switch' }
  | { kind: 'deliver' };

const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'rotate', overlapMs: HOUR_MS }) },
    fc.constant<Step>({ kind: 'rotate', overlapMs: 0 }),
    {
      weight: 2,
      arbitrary: fc.integer({ min: 1, max: HOUR_MS }).map((ms): Step => ({ kind: 'wait', ms })),
    },
    fc.constant<Step>({ kind: 'switch' }),
    { weight: 4, arbitrary: fc.constant<Step>({ kind: 'deliver' }) },
  ),
  { minLength: 4, maxLength: 12 },
);

const BODY = Buffer.from('{"id":"evt_1"}');
const nowS = Math.floor(Date.now() / 1000);
let made = 0;
const nextSecret = (): string => {
  made += 1;
  const random = Buffer.alloc(32);
  random.writeUInt32BE(made);
  return makeWebhookSecret(random);
};

/** The check of `X-Service-Signature`, written independently. */
function isValidByBody(headers: Record<string, string>, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(BODY).digest('hex');
  return [headers['X-Service-Signature'], headers['X-Service-Signature-Next']].includes(expected);
}

function isValidByStandard(headers: Record<string, string>, secret: string): boolean {
  try {
    new Webhook(secret).verify(BODY.toString(), headers);
    return true;
  } catch {
    return false;
  }
}

/** An endpoint and its receiver, which has one secret and gets each new one when it is made. */
class Story {
  #stored: StoredSecrets = { secret: nextSecret(), nextSecret: null, switchInMs: null };
  #held = this.#stored.secret;
  #told: string | null = null;
  readonly #revoked: string[] = [];

  /** Returns the error after this step, or null. */
  apply(step: Step): string | null {
    switch (step.kind) {
      case 'rotate':
        this.#rotate(step.overlapMs);
        return null;
      case 'wait':
        this.#wait(step.ms);
        return null;
      case 'switch':
        this.#changeOver();
        return null;
      case 'deliver':
        return this.#deliver();
    }
  }

  #rotate(overlapMs: number): void {
    const newSecret = nextSecret();
    const rotated = rotateSecret(this.#stored, { newSecret, overlapMs });
    if (rotated === 'rotation_overlaps') return;
    if (overlapMs === 0) {
      const { current, next } = selectLiveSecrets(this.#stored);
      this.#revoked.push(current, ...(next === null ? [] : [next]));
    }
    this.#stored = rotated;
    this.#told = newSecret;
    if (overlapMs === 0) this.#changeOver();
  }

  #wait(ms: number): void {
    const { switchInMs } = this.#stored;
    if (switchInMs === null) return;
    this.#stored = { ...this.#stored, switchInMs: switchInMs - ms };
    // The receiver changes over before the overlap ends.
    if (switchInMs - ms <= 0) this.#changeOver();
  }

  #changeOver(): void {
    this.#held = this.#told ?? this.#held;
  }

  #deliver(): string | null {
    const signed = { id: 'evt_1', timestampS: nowS, body: BODY };
    const names = { brandHeader: 'Service', attempt: 1 };
    const headers = buildSignedHeaders(selectLiveSecrets(this.#stored), signed, names);
    if (!isValidByBody(headers, this.#held)) return 'invalid by X-Service-Signature';
    if (!isValidByStandard(headers, this.#held)) return 'invalid by Standard Webhooks';
    const still = this.#revoked.filter((secret) => isValidByBody(headers, secret));
    return still.length > 0 ? 'a revoked secret still signs' : null;
  }
}

t.test('10,000 interleavings of rotate, switch and deliver are verified without an error', (t) => {
  let delivered = 0;
  const property = fc.property(steps, (story) => {
    const endpoint = new Story();
    for (const step of story) {
      const error = endpoint.apply(step);
      if (error !== null) throw new Error(error);
      if (step.kind === 'deliver') delivered += 1;
    }
  });
  fc.assert(property, { numRuns: 10_000 });
  t.ok(delivered > 20_000, `${delivered} deliveries were verified`);
  t.end();
});
