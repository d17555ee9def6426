import t from 'tap';
import { isOfferedLive, LIVE_RAILS } from '../../../actors/core/rails/live-rails.js';

t.test('a method is on offer when a rail takes it; VA when one of its banks is', (t) => {
  const rails = { ...LIVE_RAILS, VA_BNI: ['midtrans'] } as const;
  t.ok(isOfferedLive('VA_BNI', rails));
  t.ok(isOfferedLive('VA', rails));
  t.notOk(isOfferedLive('QRIS', rails));
  t.notOk(isOfferedLive('VA_BCA', rails));
  t.notOk(isOfferedLive('VA'), 'no rail has an adapter yet');
  t.end();
});
