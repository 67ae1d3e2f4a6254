/** The back office: its own entry and bundle, served by its own listener only. */
import '@/styles/tokens.css';
import '@/styles/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { HashRouter } from 'react-router';
import { Office } from './Office';

const place = document.getElementById('office');
if (!place) throw new Error('the page has no place for the back office');
const client = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 1_000 } } });
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      {/* Not in a transition: filters stand in the address, and keys that are typed quickly would be lost. */}
      <HashRouter useTransitions={false}>
        <Office />
      </HashRouter>
    </QueryClientProvider>
  </StrictMode>,
);
