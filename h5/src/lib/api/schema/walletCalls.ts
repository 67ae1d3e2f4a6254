// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  anything,
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  flag,
  list,
  map,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface LeverBalance {
  cny_price: Dec;
  currency: number;
  currency_name: string;
  id: number;
  is_charge: boolean;
  lever_balance: Dec;
  lock_lever_balance: Dec;
  logo: string;
  precision: number;
  title: string;
  usdt_price: Dec;
  usdt_value: Dec;
}

export const leverBalanceShape: Shape<LeverBalance> = object({
  cny_price: decimal,
  currency: whole,
  currency_name: text,
  id: whole,
  is_charge: flag,
  lever_balance: decimal,
  lock_lever_balance: decimal,
  logo: text,
  precision: whole,
  title: text,
  usdt_price: decimal,
  usdt_value: decimal,
});

export interface LeverWallet {
  CNY: Dec;
  balance: LeverBalance[];
  total_with_locked: Dec;
  totle: Dec;
  usdt_totle: Dec;
}

export const leverWalletShape: Shape<LeverWallet> = object({
  CNY: decimal,
  balance: list(leverBalanceShape),
  total_with_locked: decimal,
  totle: decimal,
  usdt_totle: decimal,
});

export interface EarnBalance {
  cny_price: Dec;
  currency: number;
  currency_name: string;
  earn_balance: Dec;
  id: number;
  is_charge: boolean;
  lock_earn_balance: Dec;
  logo: string;
  precision: number;
  title: string;
  usdt_price: Dec;
  usdt_value: Dec;
}

export const earnBalanceShape: Shape<EarnBalance> = object({
  cny_price: decimal,
  currency: whole,
  currency_name: text,
  earn_balance: decimal,
  id: whole,
  is_charge: flag,
  lock_earn_balance: decimal,
  logo: text,
  precision: whole,
  title: text,
  usdt_price: decimal,
  usdt_value: decimal,
});

export interface EarnWallet {
  CNY: Dec;
  balance: EarnBalance[];
  total_with_locked: Dec;
  totle: Dec;
  usdt_totle: Dec;
}

export const earnWalletShape: Shape<EarnWallet> = object({
  CNY: decimal,
  balance: list(earnBalanceShape),
  total_with_locked: decimal,
  totle: decimal,
  usdt_totle: decimal,
});

export interface LegalBalance {
  cny_price: Dec;
  currency: number;
  currency_name: string;
  id: number;
  is_charge: boolean;
  legal_balance: Dec;
  lock_legal_balance: Dec;
  logo: string;
  precision: number;
  title: string;
  usdt_price: Dec;
  usdt_value: Dec;
}

export const legalBalanceShape: Shape<LegalBalance> = object({
  cny_price: decimal,
  currency: whole,
  currency_name: text,
  id: whole,
  is_charge: flag,
  legal_balance: decimal,
  lock_legal_balance: decimal,
  logo: text,
  precision: whole,
  title: text,
  usdt_price: decimal,
  usdt_value: decimal,
});

export interface LegalWallet {
  CNY: Dec;
  balance: LegalBalance[];
  total_with_locked: Dec;
  totle: Dec;
  usdt_totle: Dec;
}

export const legalWalletShape: Shape<LegalWallet> = object({
  CNY: decimal,
  balance: list(legalBalanceShape),
  total_with_locked: decimal,
  totle: decimal,
  usdt_totle: decimal,
});

export interface MicroBalance {
  cny_price: Dec;
  currency: number;
  currency_name: string;
  id: number;
  is_charge: boolean;
  lock_micro_balance: Dec;
  logo: string;
  micro_balance: Dec;
  precision: number;
  title: string;
  usdt_price: Dec;
  usdt_value: Dec;
}

export const microBalanceShape: Shape<MicroBalance> = object({
  cny_price: decimal,
  currency: whole,
  currency_name: text,
  id: whole,
  is_charge: flag,
  lock_micro_balance: decimal,
  logo: text,
  micro_balance: decimal,
  precision: whole,
  title: text,
  usdt_price: decimal,
  usdt_value: decimal,
});

export interface MicroWallet {
  CNY: Dec;
  balance: MicroBalance[];
  total_with_locked: Dec;
  totle: Dec;
  usdt_totle: Dec;
}

export const microWalletShape: Shape<MicroWallet> = object({
  CNY: decimal,
  balance: list(microBalanceShape),
  total_with_locked: decimal,
  totle: decimal,
  usdt_totle: decimal,
});

export interface ChangeBalance {
  change_balance: Dec;
  cny_price: Dec;
  currency: number;
  currency_name: string;
  id: number;
  is_charge: boolean;
  lock_change_balance: Dec;
  logo: string;
  precision: number;
  title: string;
  usdt_price: Dec;
  usdt_value: Dec;
}

export const changeBalanceShape: Shape<ChangeBalance> = object({
  change_balance: decimal,
  cny_price: decimal,
  currency: whole,
  currency_name: text,
  id: whole,
  is_charge: flag,
  lock_change_balance: decimal,
  logo: text,
  precision: whole,
  title: text,
  usdt_price: decimal,
  usdt_value: decimal,
});

export interface ChangeWallet {
  CNY: Dec;
  balance: ChangeBalance[];
  total_with_locked: Dec;
  totle: Dec;
  usdt_totle: Dec;
}

export const changeWalletShape: Shape<ChangeWallet> = object({
  CNY: decimal,
  balance: list(changeBalanceShape),
  total_with_locked: decimal,
  totle: decimal,
  usdt_totle: decimal,
});

export interface Wallets {
  ExRate: Dec;
  change_wallet: ChangeWallet;
  earn_wallet: EarnWallet;
  /** The lever account and the results of open tickets. */
  equity: Dec;
  is_open_CTbi: string;
  legal_wallet: LegalWallet;
  lever_wallet: LeverWallet;
  micro_wallet: MicroWallet;
  /** Percent, 50 is the end; 0 without a cross ticket. */
  risk_rate: Dec;
  /** Of the account's latest event that is in it. */
  seq: number;
  unrealized: Dec;
}

export const walletsShape: Shape<Wallets> = object({
  ExRate: decimal,
  change_wallet: changeWalletShape,
  earn_wallet: earnWalletShape,
  equity: decimal,
  is_open_CTbi: text,
  legal_wallet: legalWalletShape,
  lever_wallet: leverWalletShape,
  micro_wallet: microWalletShape,
  risk_rate: decimal,
  seq: whole,
  unrealized: decimal,
});

export type WalletCurrenciesFields = Record<never, never>;

/** `GET /api/currency/list` */
export const walletCurrencies: CallShape<
  WalletCurrenciesFields,
  {
    currency: {
      id: number;
      is_display: 0 | 1;
      is_legal: 0 | 1;
      is_lever: 0 | 1;
      is_match: 0 | 1;
      is_micro: 0 | 1;
      is_transfer: 0 | 1;
      logo: string;
      max_number: Dec;
      min_number: Dec;
      name: string;
      networks: unknown[];
      precision: number;
      price: Dec;
      rate: Dec;
      sort: number;
      sub_names: string[];
      title: string;
    }[];
    legal: {
      id: number;
      is_display: 0 | 1;
      is_legal: 0 | 1;
      is_lever: 0 | 1;
      is_match: 0 | 1;
      is_micro: 0 | 1;
      is_transfer: 0 | 1;
      logo: string;
      max_number: Dec;
      min_number: Dec;
      name: string;
      networks: unknown[];
      precision: number;
      price: Dec;
      rate: Dec;
      sort: number;
      sub_names: string[];
      title: string;
    }[];
  }
> = describeCall(
  'GET',
  '/currency/list',
  object({
    currency: list(
      object({
        id: whole,
        is_display: oneOf(0, 1),
        is_legal: oneOf(0, 1),
        is_lever: oneOf(0, 1),
        is_match: oneOf(0, 1),
        is_micro: oneOf(0, 1),
        is_transfer: oneOf(0, 1),
        logo: text,
        max_number: decimal,
        min_number: decimal,
        name: text,
        networks: list(anything),
        precision: whole,
        price: decimal,
        rate: decimal,
        sort: whole,
        sub_names: list(text),
        title: text,
      }),
    ),
    legal: list(
      object({
        id: whole,
        is_display: oneOf(0, 1),
        is_legal: oneOf(0, 1),
        is_lever: oneOf(0, 1),
        is_match: oneOf(0, 1),
        is_micro: oneOf(0, 1),
        is_transfer: oneOf(0, 1),
        logo: text,
        max_number: decimal,
        min_number: decimal,
        name: text,
        networks: list(anything),
        precision: whole,
        price: decimal,
        rate: decimal,
        sort: whole,
        sub_names: list(text),
        title: text,
      }),
    ),
  }),
);

export interface WalletContractsFields {
  /** no: without assets of which nothing is there. */
  show0?: 'yes' | 'no';
}

/** `POST /api/wallet/contractsWalletList` */
export const walletContracts: CallShape<
  WalletContractsFields,
  {
    /** The lever account and the results of open tickets. */
    equity: Dec;
    lever_wallet: LeverWallet;
    /** Percent, 50 is the end; 0 without a cross ticket. */
    risk_rate: Dec;
    /** Of the account's latest event that is in it. */
    seq: number;
    /** What may leave, by the asset's name. */
    transferable: Record<string, Dec>;
    unrealized: Dec;
  }
> = describeCall(
  'POST',
  '/wallet/contractsWalletList',
  object({
    equity: decimal,
    lever_wallet: leverWalletShape,
    risk_rate: decimal,
    seq: whole,
    transferable: map(decimal),
    unrealized: decimal,
  }),
);

export interface WalletDetailFields {
  currency: string | number;
  type: 'legal' | 'change' | 'lever' | 'micro' | 'earn';
}

/** `POST /api/wallet/detail` */
export const walletDetail: CallShape<
  WalletDetailFields,
  | {
      ExRate: Dec;
      address: string;
      cny_price: Dec;
      /** Percent. */
      coin_trade_fee: Dec;
      currency: number;
      currency_name: string;
      id: number;
      is_charge: boolean;
      legal_balance: Dec;
      level: number;
      lock_legal_balance: Dec;
      logo: string;
      precision: number;
      /** Of the account's latest event that is in it. */
      seq: number;
      title: string;
      usdt_price: Dec;
      usdt_value: Dec;
    }
  | {
      ExRate: Dec;
      address: string;
      change_balance: Dec;
      cny_price: Dec;
      /** Percent. */
      coin_trade_fee: Dec;
      currency: number;
      currency_name: string;
      id: number;
      is_charge: boolean;
      level: number;
      lock_change_balance: Dec;
      logo: string;
      precision: number;
      /** Of the account's latest event that is in it. */
      seq: number;
      title: string;
      usdt_price: Dec;
      usdt_value: Dec;
    }
  | {
      ExRate: Dec;
      address: string;
      cny_price: Dec;
      /** Percent. */
      coin_trade_fee: Dec;
      currency: number;
      currency_name: string;
      id: number;
      is_charge: boolean;
      level: number;
      lever_balance: Dec;
      lock_lever_balance: Dec;
      logo: string;
      precision: number;
      /** Of the account's latest event that is in it. */
      seq: number;
      title: string;
      usdt_price: Dec;
      usdt_value: Dec;
    }
  | {
      ExRate: Dec;
      address: string;
      cny_price: Dec;
      /** Percent. */
      coin_trade_fee: Dec;
      currency: number;
      currency_name: string;
      id: number;
      is_charge: boolean;
      level: number;
      lock_micro_balance: Dec;
      logo: string;
      micro_balance: Dec;
      precision: number;
      /** Of the account's latest event that is in it. */
      seq: number;
      title: string;
      usdt_price: Dec;
      usdt_value: Dec;
    }
  | {
      ExRate: Dec;
      address: string;
      cny_price: Dec;
      /** Percent. */
      coin_trade_fee: Dec;
      currency: number;
      currency_name: string;
      earn_balance: Dec;
      id: number;
      is_charge: boolean;
      level: number;
      lock_earn_balance: Dec;
      logo: string;
      precision: number;
      /** Of the account's latest event that is in it. */
      seq: number;
      title: string;
      usdt_price: Dec;
      usdt_value: Dec;
    }
> = describeCall(
  'POST',
  '/wallet/detail',
  either(
    object({
      ExRate: decimal,
      address: text,
      cny_price: decimal,
      coin_trade_fee: decimal,
      currency: whole,
      currency_name: text,
      id: whole,
      is_charge: flag,
      legal_balance: decimal,
      level: whole,
      lock_legal_balance: decimal,
      logo: text,
      precision: whole,
      seq: whole,
      title: text,
      usdt_price: decimal,
      usdt_value: decimal,
    }),
    object({
      ExRate: decimal,
      address: text,
      change_balance: decimal,
      cny_price: decimal,
      coin_trade_fee: decimal,
      currency: whole,
      currency_name: text,
      id: whole,
      is_charge: flag,
      level: whole,
      lock_change_balance: decimal,
      logo: text,
      precision: whole,
      seq: whole,
      title: text,
      usdt_price: decimal,
      usdt_value: decimal,
    }),
    object({
      ExRate: decimal,
      address: text,
      cny_price: decimal,
      coin_trade_fee: decimal,
      currency: whole,
      currency_name: text,
      id: whole,
      is_charge: flag,
      level: whole,
      lever_balance: decimal,
      lock_lever_balance: decimal,
      logo: text,
      precision: whole,
      seq: whole,
      title: text,
      usdt_price: decimal,
      usdt_value: decimal,
    }),
    object({
      ExRate: decimal,
      address: text,
      cny_price: decimal,
      coin_trade_fee: decimal,
      currency: whole,
      currency_name: text,
      id: whole,
      is_charge: flag,
      level: whole,
      lock_micro_balance: decimal,
      logo: text,
      micro_balance: decimal,
      precision: whole,
      seq: whole,
      title: text,
      usdt_price: decimal,
      usdt_value: decimal,
    }),
    object({
      ExRate: decimal,
      address: text,
      cny_price: decimal,
      coin_trade_fee: decimal,
      currency: whole,
      currency_name: text,
      earn_balance: decimal,
      id: whole,
      is_charge: flag,
      level: whole,
      lock_earn_balance: decimal,
      logo: text,
      precision: whole,
      seq: whole,
      title: text,
      usdt_price: decimal,
      usdt_value: decimal,
    }),
  ),
);

export interface WalletEarnFields {
  /** no: without assets of which nothing is there. */
  show0?: 'yes' | 'no';
}

/** `POST /api/wallet/earnWalletList` */
export const walletEarn: CallShape<
  WalletEarnFields,
  {
    earn_wallet: EarnWallet;
    /** Of the account's latest event that is in it. */
    seq: number;
  }
> = describeCall(
  'POST',
  '/wallet/earnWalletList',
  object({
    earn_wallet: earnWalletShape,
    seq: whole,
  }),
);

export interface WalletLegalFields {
  /** no: without assets of which nothing is there. */
  show0?: 'yes' | 'no';
}

/** `POST /api/wallet/legalWalletList` */
export const walletLegal: CallShape<
  WalletLegalFields,
  {
    legal_wallet: LegalWallet;
    /** Of the account's latest event that is in it. */
    seq: number;
  }
> = describeCall(
  'POST',
  '/wallet/legalWalletList',
  object({
    legal_wallet: legalWalletShape,
    seq: whole,
  }),
);

export interface WalletOptionFields {
  /** no: without assets of which nothing is there. */
  show0?: 'yes' | 'no';
}

/** `POST /api/wallet/optionWalletList` */
export const walletOption: CallShape<
  WalletOptionFields,
  {
    micro_wallet: MicroWallet;
    /** Of the account's latest event that is in it. */
    seq: number;
  }
> = describeCall(
  'POST',
  '/wallet/optionWalletList',
  object({
    micro_wallet: microWalletShape,
    seq: whole,
  }),
);

export interface WalletSpotFields {
  /** no: without assets of which nothing is there. */
  show0?: 'yes' | 'no';
}

/** `POST /api/wallet/spotWalletList` */
export const walletSpot: CallShape<
  WalletSpotFields,
  {
    change_wallet: ChangeWallet;
    /** Of the account's latest event that is in it. */
    seq: number;
    total: Dec;
  }
> = describeCall(
  'POST',
  '/wallet/spotWalletList',
  object({
    change_wallet: changeWalletShape,
    seq: whole,
    total: decimal,
  }),
);

export interface WalletAllFields {
  /** no: without assets of which nothing is there. */
  show0?: 'yes' | 'no';
}

/** `GET /api/walletList` */
export const walletAll: CallShape<WalletAllFields, Wallets> = describeCall('GET', '/walletList', walletsShape);
