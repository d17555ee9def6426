// Cases for the alerts of ops/prometheus/service-levels.yml.
import { type AlertCase, observe, type Series } from './alert-series.js';

const REQUESTS = 'kasir_gateway_request_seconds_count';
const REFUSALS = 'kasir_gateway_rejections_total{code="overloaded"}';

/** So many of the requests are refused, every 15 s. */
const refuse = (count: number, requests: number): Series => ({
  [REFUSALS]: [0, `${count}+${count}x200`],
  [REQUESTS]: [0, `${requests}+${requests}x200`],
});

export const SERVICE_LEVEL_CASES: Readonly<Record<string, AlertCase>> = {
  // 1.44 % of the requests are the limit.
  'ServiceLevelBurnsFast, of requests': {
    fires: refuse(16, 1000),
    firesAtMin: 10.5,
    silent: refuse(14, 1000),
  },
  'ServiceLevelBurnsFast, of few requests': {
    fires: { [REFUSALS]: [0, '1+1x8 9x40'], [REQUESTS]: [0, '10+10x8 90x40'] },
    firesAtMin: 12.5,
    silent: { [REFUSALS]: [0, '1x40'], [REQUESTS]: [0, '10x40'] },
  },
  'ServiceLevelBurnsFast, of commands': {
    fires: observe('kasir_command_queue_seconds', ['0.25', '0.5'], '9+9x40'),
    firesAtMin: 10.5,
    silent: observe('kasir_command_queue_seconds', ['0.128', '0.25'], '9+9x40'),
  },
  'ServiceLevelBurnsFast, of webhooks': {
    fires: observe('kasir_webhook_event_to_attempt_seconds', ['5', '10'], '9+9x40'),
    firesAtMin: 10.5,
    silent: observe('kasir_webhook_event_to_attempt_seconds', ['2.5', '5'], '9+9x40'),
  },
  'ServiceLevelBurnsFast, of webhooks in Prometheus 3': {
    fires: observe('kasir_webhook_event_to_attempt_seconds', ['5.0', '10.0'], '9+9x40'),
    firesAtMin: 10.5,
    silent: observe('kasir_webhook_event_to_attempt_seconds', ['2.5', '5.0'], '9+9x40'),
  },
  'ServiceLevelBurnsFast, of callbacks': {
    fires: {
      'kasir_rail_callbacks_total{rail="midtrans",outcome="unavailable"}': [0, '9+9x40'],
      'kasir_rail_callbacks_total{rail="midtrans",outcome="taken"}': [0, '99+99x40'],
    },
    firesAtMin: 10.5,
    silent: {
      'kasir_rail_callbacks_total{rail="midtrans",outcome="unavailable"}': [0, '0x40'],
      'kasir_rail_callbacks_total{rail="midtrans",outcome="taken"}': [0, '99+99x40'],
    },
  },
  // 0.6 %.
  ServiceLevelBurns: { fires: refuse(7, 1000), firesAtMin: 13, silent: refuse(5, 1000) },
  // 0.1 %.
  ServiceLevelBurnsSlowly: { fires: refuse(2, 1000), firesAtMin: 20, silent: refuse(1, 2000) },
};
