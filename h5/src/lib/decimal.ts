/** Decimal arithmetic for what a user enters or is charged: 20 significant digits, half-up (spec section 9). */
import Decimal from 'decimal.js';

Decimal.set({ precision: 20, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 30 });

export { Decimal };
