/** The operators' console: its own entry and bundle, served by the ops port only. */
import '@/styles/tokens.css';
import '@/styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './Console';

const place = document.getElementById('console');
if (!place) throw new Error('the page has no place for the console');
createRoot(place).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
