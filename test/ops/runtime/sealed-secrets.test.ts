// Secrets at rest: opened with the key that they name, in the row that they were sealed for, and unchanged.
import t from 'tap';
import { readConfig } from '#ops/runtime/config.js';
import { openFile, openSecret, sealFile, sealSecret } from '#ops/runtime/sealed-secrets.js';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const keysOf = (...bytes: number[]) =>
  readConfig('start', { SECRETS_KEY: bytes.map(key).join(',') }).secretsKeys;

t.test('sealed and opened, each time another ciphertext', (t) => {
  const keys = keysOf(1);
  const sealed = sealSecret(keys, 'we_1', 'whsec_é');
  t.match(sealed, new RegExp(`^v1\\.${keys[0]?.name}\\.[\\w-]+$`));
  t.equal(openSecret(keys, 'we_1', sealed), 'whsec_é');
  t.not(sealSecret(keys, 'we_1', 'whsec_é'), sealed);
  t.end();
});

t.test('keys are rotated: the first seals, the named one opens', (t) => {
  const old = sealSecret(keysOf(1), 'we_1', 'secret');
  t.equal(openSecret(keysOf(2, 1), 'we_1', old), 'secret');
  t.equal(openSecret(keysOf(2), 'we_1', sealSecret(keysOf(2, 1), 'we_1', 'x')), 'x');
  t.throws(() => openSecret(keysOf(2), 'we_1', old), /is sealed with the key/);
  t.end();
});

t.test('another row, a change, or nonsense cannot be opened', (t) => {
  const keys = keysOf(1);
  const sealed = sealSecret(keys, 'we_1', 'secret');
  t.throws(() => openSecret(keys, 'we_2', sealed));
  // The last byte, of a random tag: one of 256 is already what AA stands for.
  const other = sealed.endsWith('AA') ? 'BA' : 'AA';
  t.throws(() => openSecret(keys, 'we_1', `${sealed.slice(0, -2)}${other}`));
  t.throws(() => openSecret(keys, 'we_1', 'secret'), /not a sealed secret/);
  t.throws(() => sealSecret([], 'we_1', 'secret'), /no key/);
  t.end();
});

t.test('files too, whatever bytes are in them', (t) => {
  const keys = keysOf(1);
  const file = Buffer.from([0, 0x2e, 255, 10, 0x2e]);
  const sealed = sealFile(keys, 'doc_1', file);
  t.notOk(sealed.includes(file));
  t.same(openFile(keysOf(2, 1), 'doc_1', sealed), file);
  t.throws(() => openFile(keys, 'doc_2', sealed));
  t.throws(() => openFile(keysOf(2), 'doc_1', sealed), /is sealed with the key/);
  t.throws(() => openFile(keys, 'doc_1', Buffer.concat([sealed, Buffer.from('x')])));
  t.throws(() => openFile(keys, 'doc_1', Buffer.from('%PDF-1.7')), /not a sealed file/);
  t.end();
});
