// Days in Jakarta.
import t from 'tap';
import { findDay, parseDay, TIME_ZONE } from '#actors/core/days.js';

t.test('a day begins at midnight in Jakarta, and other texts are rejected', (t) => {
  t.same(parseDay('2026-08-02'), {
    day: '2026-08-02',
    fromMs: Date.parse('2026-08-01T17:00:00Z'),
    toMs: Date.parse('2026-08-02T17:00:00Z'),
  });
  for (const text of [
    ...['', '2026-8-2', '2026-02-30', '2026-13-01', '0000-01-01', 'today'],
    ...['20266-12-31', '+020266-12-31', '2026-08-02T00:00:00Z', ' 2026-08-02'],
  ]) {
    t.equal(parseDay(text), undefined, text);
  }
  for (const day of ['0001-01-01', '2028-02-29', '9999-12-31']) t.equal(parseDay(day)?.day, day);
  t.end();
});

t.test('the day of a time is the one that the time zone says', (t) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE });
  for (const time of ['2026-08-02T16:59:59.999Z', '2026-08-02T17:00:00Z', '2026-12-31T17:00:00Z']) {
    t.equal(findDay(Date.parse(time)), format.format(new Date(time)), time);
  }
  t.end();
});
