/**
 * The trading kit: what the page of any traded product is made of. It lies between the shared code and the features:
 * components, lib <- trading <- features <- app. Features import from here, never from the single files.
 *
 * A product supplies, as parameters:
 * - which markets it offers (`Offers`) and its page's title;
 * - its calls: balances (`funds`), how its orders are sent (`usePlace`), an order's fills (`OrderDetails`), its lists;
 * - a pair's rules (`PairRules`); `pairRules` reads what every row has and takes the product's own fees;
 * - the panes that `Panes` lays out on every width: chart, ticket and orders, with a book and trades where it has them.
 *
 * The kit never calls the server for a product and knows no route but the log-in's and the transfer's. A part that only
 * the kit uses so far is exported with the first product that wants it.
 */
export { Chart } from './chart/Chart';
export type { PriceLine } from './chart/priceChart';
export { SelfHoldDialog } from './copies/SelfHoldDialog';
export { useCopyEvents } from './copies/useCopyEvents';
export { ListsPanel, ListTools } from './lists/ListsPanel';
export { MarketStats } from './market/MarketStats';
export { PairHeader } from './market/PairHeader';
export { useLastPrice } from './market/prices';
export { TradesPanel } from './market/TradesPanel';
export { useBookPanes } from './market/useBookPanes';
export { useShownPair } from './market/useShownPair';
export { Fact, Facts } from './orders/Facts';
export { FillItem } from './orders/FillItem';
export { OrderGroup } from './orders/OrderGroup';
export { OrderSheet } from './orders/OrderSheet';
export { byList, triggerText } from './orders/orderFigures';
export { Panes } from './Panes';
export { BarredNotice } from './ticket/BarredNotice';
export type { OrderFields, PlaceCall } from './ticket/kinds';
export type { OtherPay } from './ticket/otherPay';
export { bookUnit } from './ticket/priceSteps';
export type { Funds } from './ticket/reducer';
export { floorTo, type PairRules, pairRules, rulesKey, typed } from './ticket/rules';
export { SideSwitch } from './ticket/SideSwitch';
export { SubmitButton } from './ticket/SubmitButton';
export { TicketForm, type TicketHandle } from './ticket/TicketForm';
export { TransferButton } from './ticket/TransferButton';
export { Warning } from './ticket/Warning';
export { chartShownAtom } from './view';
