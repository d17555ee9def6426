// The entries of the audit log about one object, newest first.
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AUDIT_TEXTS } from './audit-texts.js';
import { useAuditWords } from './audit-words.js';
import { RawRow } from '../parts/raw-row.js';
import { Changes } from './changes.js';
import { Link } from '@tanstack/react-router';

const ENTRIES = 20;

export function AuditTrail({ target }: { readonly target: string }): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const words = useAuditWords();
  const query = useQuery({
    queryKey: ['admin', 'audit-trail', target],
    queryFn: () =>
      unwrap(
        adminApi.GET('/v1/admin/audit-log', { params: { query: { target, limit: ENTRIES } } }),
      ),
  });
  return (
    <DetailView query={query}>
      {({ data, next_cursor: next }) => (
        <Stack gap="md">
          {data.length === 0 && <Text c="dimmed">{texts.noEntries}</Text>}
          {data.map((entry) => (
            <div key={entry.id}>
              <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
                <strong>{words.action(entry.action)}</strong> · {entry.email ?? entry.actor} ·{' '}
                <When at={entry.at} />
              </Text>
              <Changes before={entry.before} after={entry.after} />
              <RawRow row={entry} />
            </div>
          ))}
          {next !== null && (
            <Anchor component={Link} to={`/admin/audit-log?target=${target}`}>
              {texts.all}
            </Anchor>
          )}
        </Stack>
      )}
    </DetailView>
  );
}
