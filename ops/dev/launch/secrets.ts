// {DATA_DIR}/secrets.json, mode 0600: secrets that `npm start` generates once. ID_KEY belongs to the data: ids are
// derived with it, so with another key no payment would be found.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MerchantId, UserId } from '#actors/core/ids.js';

export interface Secrets {
  readonly secretsKey: string;
  readonly idKey: string;
  readonly commandKeys: Readonly<Record<'gateway' | 'rails' | 'webhooks', string>>;
  readonly redisPassword: string;
  readonly postgresPassword: string;
  readonly demo: DemoSecrets;
}

export interface DemoSecrets {
  readonly merchantId: MerchantId;
  readonly testKeyId: string;
  readonly liveKeyId: string;
  readonly testKey: string;
  readonly liveKey: string;
  readonly owner: DemoLogin;
  readonly admin: DemoLogin;
  /** Approves the proposals of the first. */
  readonly secondAdmin: DemoLogin;
}

export interface DemoLogin {
  readonly userId: UserId;
  readonly email: string;
  readonly password: string;
}

/** The secrets of this folder. `makeDemo` is called when there are none yet. */
export function keepSecrets(dataDir: string, makeDemo: () => DemoSecrets): Secrets {
  const path = join(dataDir, 'secrets.json');
  const kept = read(path);
  if (kept !== null) {
    // A folder of an older version lacks newer secrets.
    const completed: Secrets = {
      ...{ ...kept, commandKeys: kept.commandKeys ?? makeCommandKeys() },
      demo: { ...makeDemo(), ...kept.demo },
    };
    writeSecretFile(path, completed);
    return completed;
  }
  const made: Secrets = {
    secretsKey: makeKey(),
    idKey: makeKey(),
    commandKeys: makeCommandKeys(),
    redisPassword: randomBytes(24).toString('hex'),
    postgresPassword: randomBytes(24).toString('hex'),
    demo: makeDemo(),
  };
  writeSecretFile(path, made);
  return made;
}

const makeKey = (): string => randomBytes(32).toString('base64');

const makeCommandKeys = (): Secrets['commandKeys'] => ({
  gateway: makeKey(),
  rails: makeKey(),
  webhooks: makeKey(),
});

/** A file of an older version may lack newer secrets. */
type KeptSecrets = Omit<Secrets, 'commandKeys'> & Partial<Secrets>;

function read(path: string): KeptSecrets | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return JSON.parse(text) as KeptSecrets;
}

/** Writes the file atomically, readable by its owner only. */
export function writeSecretFile(path: string, content: unknown): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 1)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
