import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { IconContext } from 'react-icons';
import { createQueryClient } from './core/query-client.js';
import { keepLastKnownData } from './app/last-known-data.js';
import { router } from './app/router.js';
import { forgetAllUploads } from './core/family-cloud/begun-uploads.js';
import { sessionStore } from './core/session/session-store.js';
import { cssVariables, theme } from './core/theme.js';

const container = document.getElementById('root');
if (!container) throw new Error('The page has no element #root');
const queries = createQueryClient();
/** Size of icons without a size of their own, in CSS pixels. */
const ICONS = { size: '24' };

// The data of a person must not be shown to the next one who signs in on this page.
sessionStore.subscribe(() => {
  const state = sessionStore.get();
  if (state.status === 'signed-out') {
    queries.clear();
    if (!state.hasEnded) void forgetAllUploads();
  }
  if (state.status === 'signed-in') keepLastKnownData(state.session, queries);
  void router.invalidate();
});

createRoot(container).render(
  <StrictMode>
    <DirectionProvider>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <IconContext.Provider value={ICONS}>
          <Notifications position="top-center" />
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </IconContext.Provider>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>,
);
