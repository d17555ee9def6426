// The steps before customers pay real money, each with its state and the view where it is done.
import { Alert, Button, Card, Flex, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import Check from 'lucide-react/icons/check';
import Circle from 'lucide-react/icons/circle';
import type { ReactNode } from 'react';
import { type Settings, settingsQuery } from '@dashboard/shared/api/merchant-settings.js';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import {
  type Can,
  hasSecondFactor,
  type SignedIn,
  useCan,
  useSession,
} from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { KYC_TEXTS } from './texts.js';

type Item = keyof (typeof KYC_TEXTS)['en']['checklist'];

interface ItemState {
  readonly item: Item;
  readonly isDone: boolean;
  /** null: nothing to do there, or the role may not. */
  readonly to: '/account' | '/settings' | '/verification' | null;
}

const ICON_SIZE = 16;

const hasBrand = ({
  logo_url: logo,
  brand_colour: colour,
  display_name: name,
}: Settings): boolean => (logo ?? colour ?? name) !== null;

const linkIf = <To extends string>(is: boolean, to: To): To | null => (is ? to : null);

function listItems(
  { user, merchant }: SignedIn,
  can: Can,
  settings: Settings,
): readonly ItemState[] {
  const isApproved = merchant?.verificationStatus === 'APPROVED';
  return [
    { item: 'email', isDone: user.email_verified, to: '/account' },
    { item: 'factor', isDone: hasSecondFactor(user), to: '/account' },
    { item: 'brand', isDone: hasBrand(settings), to: linkIf(can('change_settings'), '/settings') },
    { item: 'verification', isDone: isApproved, to: linkIf(can('read_kyc'), '/verification') },
    { item: 'live', isDone: isApproved && merchant.liveEnabled, to: null },
  ];
}

export function GoingLiveView(): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const query = useQuery(settingsQuery);
  return (
    <Page title={texts.liveTitle} permission="read_merchant">
      <DetailView query={query}>{(settings) => <Checklist settings={settings} />}</DetailView>
    </Page>
  );
}

function Checklist({ settings }: { readonly settings: Settings }): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const items = listItems(useSession(), useCan(), settings);
  const isLive = items.some(({ item, isDone }) => item === 'live' && isDone);
  return (
    <Stack maw={760}>
      {isLive ? (
        <Alert color="green">{texts.liveOn}</Alert>
      ) : (
        <Text c="dimmed">{texts.liveHelp}</Text>
      )}
      {items.map((item) => (
        <ChecklistItem key={item.item} {...item} />
      ))}
    </Stack>
  );
}

function ChecklistItem({ item, isDone, to }: ItemState): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const { action, title, help } = texts.checklist[item];
  return (
    <Card withBorder padding="md" data-item={item} data-done={isDone}>
      <Flex
        direction={{ base: 'column', sm: 'row' }}
        align={{ base: 'flex-start', sm: 'center' }}
        justify="space-between"
        gap="sm"
      >
        <Group wrap="nowrap" align="flex-start">
          <ThemeIcon
            variant="light"
            radius="xl"
            color={isDone ? 'green' : 'gray'}
            aria-label={isDone ? texts.done : texts.notDone}
            role="img"
          >
            {isDone ? <Check size={ICON_SIZE} /> : <Circle size={ICON_SIZE} />}
          </ThemeIcon>
          <div>
            <Text fw={600}>{title}</Text>
            <Text size="sm" c="dimmed">
              {help}
            </Text>
          </div>
        </Group>
        {!isDone && to !== null && (
          <Button
            component={Link}
            to={to}
            variant="default"
            size="xs"
            flex="none"
            aria-label={title}
          >
            {action}
          </Button>
        )}
      </Flex>
    </Card>
  );
}
