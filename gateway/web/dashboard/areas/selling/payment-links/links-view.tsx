// The payment links of the merchant in the environment.
import { Button, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  api,
  downloadCsv,
  type MerchantQuery,
  type MerchantSchema,
} from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter, Filters } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ExportButton, ListView } from '@dashboard/shared/lists/list-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS, type SellingTexts } from '../parts/texts.js';
import { LinkEditor } from './link-editor.js';
import { LinkPrice, LinkState, writeUses } from './link-parts.js';

type Link = MerchantSchema['PaymentLink'];

const PATH = '/v1/merchants/me/payment-links';

function listColumns({ links }: SellingTexts): readonly Column<Link>[] {
  return [
    { name: links.linkTitle, render: ({ title }) => title },
    { name: links.price, render: (link) => <LinkPrice link={link} /> },
    { name: links.status, render: (link) => <LinkState link={link} /> },
    { name: links.uses, render: (link) => writeUses(link, links), isNumber: true },
    { name: links.created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

/** The query of the list, from the address. */
function useLinkFilter() {
  const environment = useEnvironment();
  const { active } = useSearch({ from: '/signed-in/payment-links' });
  return { environment, active };
}

export function LinksView(): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const canChange = useCan()('change_payment_links');
  const filter = useLinkFilter();
  const [isMaking, setIsMaking] = useState(false);
  const make = canChange && (
    <Button
      onClick={() => {
        setIsMaking(true);
      }}
    >
      {links.make}
    </Button>
  );
  return (
    <Page
      title={links.title}
      actions={
        <>
          <ExportButton onExport={() => downloadCsv(PATH, filter, 'payment-links.csv')} />
          {make}
        </>
      }
    >
      <Text c="dimmed">{links.about}</Text>
      <LinkList filter={filter} make={make} />
      {isMaking && (
        <LinkEditor
          link={null}
          onClose={() => {
            setIsMaking(false);
          }}
        />
      )}
    </Page>
  );
}

interface LinkListProps {
  readonly filter: ReturnType<typeof useLinkFilter>;
  /** The button of the empty state. */
  readonly make: ReactNode;
}

function LinkList({ filter, make }: LinkListProps): ReactNode {
  const texts = useTexts(SELLING_TEXTS);
  const { links } = texts;
  const { environment, active } = filter;
  const { cursor } = useSearch({ from: '/signed-in/payment-links' });
  const navigate = useNavigate({ from: '/payment-links' });
  const load = (from: string | undefined) => {
    const query = { ...filter, cursor: from } as unknown as MerchantQuery<typeof PATH>;
    return unwrap(api.GET(PATH, { params: { query } }));
  };
  return (
    <ListView
      label={links.title}
      queryKey={['payment-links', filter]}
      load={load}
      columns={listColumns(texts)}
      rowKey={({ id }) => id}
      rowLink={({ id }, content) => (
        <RowLink to="/payment-links/$linkId" params={{ linkId: id }}>
          {content}
        </RowLink>
      )}
      filters={<ActiveFilter />}
      isFiltered={active !== undefined}
      empty={
        <EmptyHint title={links.none(environment)} help={links.noneHelp}>
          {make}
        </EmptyHint>
      }
      cursor={cursor}
      onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
    />
  );
}

function ActiveFilter(): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  return (
    <Filters>
      <ChoiceFilter
        name="active"
        label={links.status}
        any={links.anyStatus}
        choices={[
          { value: 'true', label: links.states.on },
          { value: 'false', label: links.states.off },
        ]}
      />
    </Filters>
  );
}
