// The kill switches: what each stops, and whether it is stopped now. Stopping asks for the name of the switch.
import { Autocomplete, Button, Card, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MerchantSelect } from '../parts/merchant-names.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { PAYMENT_METHODS } from '../parts/payment-methods.js';
import { ConfirmByName } from '../parts/confirm-by-name.js';
import { Permitted } from '../parts/permitted.js';
import { useRailNames } from '../parts/rail-names.js';
import { SWITCH_KINDS, type SwitchKind, useStopped } from './stopped.js';
import { OPERATIONS_TEXTS } from './texts.js';

type Switch = Pick<AdministratorSchema['KillSwitch'], 'name' | 'enabled'>;

const MAX_REASON_CHARACTERS = 500;

export function SwitchesView(): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const [turned, setTurned] = useState<Switch | null>(null);
  const query = useQuery({
    queryKey: ['admin', 'switches'],
    queryFn: () => unwrap(adminApi.GET('/v1/admin/switches')),
  });
  return (
    <Page title={texts.switches}>
      <Text c="dimmed">{texts.switchesHelp}</Text>
      <DetailView query={query}>
        {({ data }) => (
          <Stack gap="sm">
            {data.map((each) => (
              <SwitchCard
                key={each.name}
                found={each}
                onTurn={() => {
                  setTurned(each);
                }}
              />
            ))}
          </Stack>
        )}
      </DetailView>
      <Permitted to="administrate">
        <AnotherSwitch
          onChosen={(name) => {
            setTurned({ name, enabled: true });
          }}
        />
      </Permitted>
      {turned !== null && (
        <TurnDialog
          turned={turned}
          onClose={() => {
            setTurned(null);
          }}
        />
      )}
    </Page>
  );
}

interface SwitchCardProps {
  readonly found: AdministratorSchema['KillSwitch'];
  readonly onTurn: () => void;
}

function SwitchCard({ found, onTurn }: SwitchCardProps): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const stopped = useStopped(found.name);
  const { name, enabled: works, changed_at: at, changed_by: by, reason } = found;
  return (
    <Card withBorder data-switch={name}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} miw={0} flex="1 1 16rem">
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {stopped}
            </Text>
            <StatusBadge
              status={works ? 'active' : 'failed'}
              label={works ? texts.works : texts.stopped}
            />
          </Group>
          <Text size="sm" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
            {texts.changed}: {at === null ? texts.never : <When at={at} isRelative />}
            {by !== null && `, ${texts.by} ${by}`}
          </Text>
          {reason !== null && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {shared.reason}: {reason}
            </Text>
          )}
        </Stack>
        <Permitted to="administrate" isQuiet>
          <Button
            variant={works ? 'outline' : 'filled'}
            {...(works ? { color: 'red' } : {})}
            aria-label={`${works ? texts.stop : texts.resume}: ${name}`}
            onClick={onTurn}
            style={{ flex: 'none' }}
          >
            {works ? texts.stop : texts.resume}
          </Button>
        </Permitted>
      </Group>
    </Card>
  );
}

interface TurnDialogProps {
  readonly turned: Switch;
  readonly onClose: () => void;
}

function TurnDialog({ turned, onClose }: TurnDialogProps): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const queries = useQueryClient();
  const { name, enabled: works } = turned;
  const stopped = useStopped(name);
  const [reason, setReason] = useState('');
  const turn = async (): Promise<void> => {
    const body = { name, enabled: !works, reason: reason.trim() };
    await unwrap(adminApi.PUT('/v1/admin/switches', { body }));
    await queries.invalidateQueries({ queryKey: ['admin'] });
  };
  if (works) {
    return (
      <ConfirmByName
        title={texts.stopTitle}
        name={name}
        action={texts.stop}
        isReady={reason.trim() !== ''}
        onClose={onClose}
        onConfirm={turn}
      >
        <Text>{stopped}</Text>
        <ReasonField value={reason} onChange={setReason} />
      </ConfirmByName>
    );
  }
  return (
    <ConfirmDialog
      title={texts.resumeTitle}
      action={texts.resume}
      isReady={reason.trim() !== ''}
      isOpen
      onClose={onClose}
      onConfirm={turn}
    >
      <Text fw={600}>{name}</Text>
      <Text size="sm">{stopped}</Text>
      <ReasonField value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ReasonField({ value, onChange }: ReasonFieldProps): ReactNode {
  const { reason } = useTexts(ADMIN_TEXTS);
  const { reasonHelp } = useTexts(OPERATIONS_TEXTS);
  return (
    <Textarea
      label={reason}
      description={reasonHelp}
      required
      autosize
      minRows={2}
      maxLength={MAX_REASON_CHARACTERS}
      value={value}
      onChange={({ currentTarget: { value: text } }) => {
        onChange(text);
      }}
    />
  );
}

function AnotherSwitch({ onChosen }: { readonly onChosen: (name: string) => void }): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const [kind, setKind] = useState<SwitchKind>('method');
  const [value, setValue] = useState('');
  const railNames = useRailNames();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onChosen(`${kind}:${value.trim()}`);
  };
  return (
    <Section title={texts.another}>
      <form onSubmit={send}>
        <Group align="flex-end">
          <Select
            label={texts.anotherKind}
            data={SWITCH_KINDS.map((each) => ({ value: each, label: texts.switchKinds[each] }))}
            value={kind}
            allowDeselect={false}
            onChange={(chosen) => {
              setKind(chosen ?? 'method');
              setValue('');
            }}
          />
          {kind === 'merchant' ? (
            <MerchantSelect label={texts.anotherValue} required value={value} onChange={setValue} />
          ) : (
            <Autocomplete
              label={texts.anotherValue}
              data={kind === 'rail' ? railNames : PAYMENT_METHODS}
              required
              value={value}
              onChange={setValue}
            />
          )}
          <Button type="submit" variant="default">
            {texts.next}
          </Button>
        </Group>
      </form>
    </Section>
  );
}
