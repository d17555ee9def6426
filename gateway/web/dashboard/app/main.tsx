// Starts the dashboard. The shell of the gateway carries the nonce that lets style elements pass the content security policy.
import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { ReloadOffer, watchForFaults } from '@dashboard/shared/faults/reload-offer.js';
import { StepUpProvider } from '@dashboard/shared/second-factor/step-up.js';
import { LanguageProvider } from '@dashboard/shared/text/language.js';
import './app.css';
import { OtherAddressPage } from './dead-ends.js';
import { useIsPrinting } from './print.js';
import { router } from './router.js';
import { resolveVariables, theme } from './theme.js';
import { Toasts } from './toasts.js';

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce ?? '';
setNonce(nonce);
watchForFaults();

function Colours({ children }: { readonly children: ReactNode }): ReactNode {
  const onPaper = useIsPrinting() ? ({ forceColorScheme: 'light' } as const) : {};
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      {...onPaper}
    >
      {children}
    </MantineProvider>
  );
}

const baseUrl = document.querySelector<HTMLMetaElement>('meta[name=base-url]')?.content;
const { origin } = new URL(baseUrl ?? location.href);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <Colours>
      <LanguageProvider>
        <QueryClientProvider client={queryClient}>
          <Toasts />
          <ReloadOffer />
          {origin === location.origin ? (
            <StepUpProvider>
              <RouterProvider router={router} />
            </StepUpProvider>
          ) : (
            <OtherAddressPage origin={origin} />
          )}
        </QueryClientProvider>
      </LanguageProvider>
    </Colours>
  </StrictMode>,
);
