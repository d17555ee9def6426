// The counter of payouts and refunds that rails accepted or failed.
import t from 'tap';
import { createRailsMetrics } from '#actors/rails/rails-metrics.js';
import { createRegistry } from '#ops/runtime/metrics.js';

t.test(
  'failed payouts and refunds of LIVE rails are counted once, by their operation',
  async (t) => {
    const registry = createRegistry();
    const { onAnswer } = createRailsMetrics(registry);
    for (const [rail, operation, outcome] of [
      ['xendit', 'payout', 'pending'],
      ['xendit', 'payout', 'completed'],
      ['xendit', 'payout', 'failed'],
      ['xendit', 'payout', 'unknown'],
      ['xendit', 'payout_look_up', 'pending'],
      ['xendit', 'payout_look_up', 'completed'],
      ['xendit', 'payout_look_up', 'failed'],
      ['xendit', 'charge', 'refused'],
      ['midtrans', 'refund', 'succeeded'],
      ['midtrans', 'refund', 'failed'],
      ['midtrans', 'refund', 'not_sent'],
      ['midtrans', 'refund', 'manual_required'],
      ['sandbox', 'payout', 'failed'],
    ] as const) {
      onAnswer(rail, operation, outcome, 5);
    }
    const page = await registry.metrics();
    const counted = [...page.matchAll(/^kasir_rail_money_out_total\{(.*)\} (\d+)$/gm)]
      .filter(([, , count]) => count !== '0')
      .map(([, labels = '', count]) => `${labels.replace(/\w+=|"/g, '')} ${count}`);
    t.strictSame(counted.sort(), [
      'midtrans,refund,accepted 1',
      'midtrans,refund,failed 1',
      'xendit,payout,accepted 2',
      'xendit,payout,failed 2',
    ]);
  },
);
