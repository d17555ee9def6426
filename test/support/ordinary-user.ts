// Root may listen on every port and write into every folder; a command behind these words may not.
const RIGHTS = ['net_bind_service', 'dac_override', 'dac_read_search'];
const without = RIGHTS.map((right) => `-${right}`).join();

export const AS_ORDINARY_USER: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', '--inh-caps', without, '--bounding-set', without, '--']
    : [];
