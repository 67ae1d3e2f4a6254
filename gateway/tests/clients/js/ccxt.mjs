// ccxt and ccxt.pro of JavaScript.
import ccxt from 'ccxt';
import { serve } from './bridge.mjs';

serve((kind, settings) => (kind === 'pro' ? new ccxt.pro.binance(settings) : new ccxt.binance(settings)));
