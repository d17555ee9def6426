// The variables of traces.
import t from 'tap';
import { readConfig } from '#ops/runtime/config.js';
import { faultsOf, NEEDED } from '../environments.js';

t.test('traces are off without an address, and their variables are checked', (t) => {
  const read = (more: Record<string, string>) =>
    readConfig('gateway', { ...NEEDED, ...more }).tracing;
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.example:4318/';
  t.equal(read({}), null);
  t.same(read({ OTEL_EXPORTER_OTLP_ENDPOINT }), {
    url: 'http://collector.example:4318/v1/traces',
    ...{ headers: null, followsCallers: true, maxQueue: 2_048 },
  });
  t.match(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc',
      TRACE_CALLERS: 'ignore',
    }),
    {
      url: 'https://traces.example/otlp',
      headers: 'authorization=Basic%20abc',
      followsCallers: false,
    },
  );
  t.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }), null);
  const faults = faultsOf({
    ...NEEDED,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'kunci-rahasia',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_SAMPLER_ARG: '2',
    TRACE_CALLERS: 'yes',
  });
  t.equal(faults.length, 5, faults.join(' '));
  t.notMatch(faults.join(' '), 'rahasia');
  t.end();
});
