// Processes that look for free ports at once never find the same one, though a port looks free until its server listens.
import t from 'tap';
import type * as ports from '#ops/dev/servers/ports.js';

type Ports = typeof ports;

/** The module as another process has it: with a state of its own. */
const load = (name: string): Promise<Ports> =>
  import(`${import.meta.resolve('#ops/dev/servers/ports.js')}?${name}`) as Promise<Ports>;

t.test('a port is found once, whoever looks for one, and however many', async (t) => {
  const [one, other] = await Promise.all([load('one'), load('other')]);
  const found: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    found.push(...(await Promise.all([one.findFreePort(), other.findFreePort()])));
  }
  t.equal(new Set(found).size, 100);
  t.ok((await Promise.all(found.map((port) => one.isPortFree(port)))).every(Boolean));
});
