// One merchant: its verification with documents, the decision, LIVE, its rails and its history.
import { Alert, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AuditTrail } from '../operations/audit-trail.js';
import { TextLink } from '../parts/links.js';
import { Permitted } from '../parts/permitted.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { Decision } from './decision.js';
import { Documents } from './documents.js';
import { LiveAccess } from './live-access.js';
import { buildMerchantKey, type MerchantDetails } from './merchant.js';
import { MerchantRails } from './merchant-rails.js';
import { Submission } from './submission.js';
import { MERCHANT_TEXTS } from './texts.js';
import { VerificationBadge } from './verification-badge.js';

export function MerchantView(): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const { merchantId } = useParams({ from: '/signed-in/admin/merchants/$merchantId' });
  const params = { path: { merchant_id: merchantId } };
  const query = useQuery({
    queryKey: buildMerchantKey(merchantId),
    queryFn: () => unwrap(adminApi.GET('/v1/admin/merchants/{merchant_id}', { params })),
  });
  return (
    <Page
      title={query.data?.merchant.business_name ?? texts.merchant}
      actions={query.data !== undefined && <MerchantLists merchantId={merchantId} />}
    >
      <DetailView query={query}>{(details) => <MerchantSections details={details} />}</DetailView>
    </Page>
  );
}

/** The ways to everything of this merchant. */
function MerchantLists({ merchantId }: { readonly merchantId: string }): ReactNode {
  const { lists } = useTexts(MERCHANT_TEXTS);
  const search = { merchant_id: merchantId };
  return (
    <Group gap="md">
      <TextLink to="/admin/transactions" search={search}>
        {lists.transactions}
      </TextLink>
      <TextLink to="/admin/refunds" search={search}>
        {lists.refunds}
      </TextLink>
      <TextLink to="/admin/payouts" search={search}>
        {lists.payouts}
      </TextLink>
      <TextLink to="/admin/tasks" search={search}>
        {lists.tasks}
      </TextLink>
    </Group>
  );
}

/** Names that mail programs would make a link of. */
function FlaggedNames({ details }: { readonly details: MerchantDetails }): ReactNode {
  const { flaggedNames } = useTexts(MERCHANT_TEXTS);
  const { merchant, display_name: displayName, flagged_names: flagged } = details;
  const names = { business_name: merchant.business_name, display_name: displayName ?? '' };
  return flagged.map((field) => (
    <Alert key={field} color="yellow">
      {flaggedNames[field](names[field])}
    </Alert>
  ));
}

function MerchantSections({ details }: { readonly details: MerchantDetails }): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const { id, created } = useTexts(ADMIN_TEXTS);
  const { merchant, kyc } = details;
  return (
    <Stack>
      <FlaggedNames details={details} />
      <Section
        title={texts.verification}
        actions={
          <Group gap="xs">
            <VerificationBadge status={merchant.verificationStatus} />
            <Permitted to="review_merchants" isQuiet>
              <Decision details={details} />
            </Permitted>
          </Group>
        }
      >
        <Facts
          facts={[
            [id, <Identifier key="id" value={merchant.id} />],
            [created, <When key="created" at={merchant.created_at} />],
            [texts.displayName, details.display_name],
            [texts.submitted, kyc.submission && <When at={kyc.submission.submitted_at} />],
            [
              texts.decided,
              kyc.submission?.decided_at ? <When at={kyc.submission.decided_at} /> : null,
            ],
          ]}
        />
      </Section>
      <LiveAccess merchant={merchant} />
      <Submission submission={kyc.submission} />
      <Documents merchantId={merchant.id} documents={kyc.documents} />
      <MerchantRails merchantId={merchant.id} />
      <Section title={texts.history}>
        <AuditTrail target={merchant.id} />
      </Section>
    </Stack>
  );
}
