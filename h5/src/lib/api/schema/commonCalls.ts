// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  flag,
  list,
  map,
  nothing,
  object,
  type Shape,
  text,
  whole,
} from '../shape';

export interface FiatRate {
  currency_code: string;
  rate: Dec;
  value: Dec;
}

export const fiatRateShape: Shape<FiatRate> = object({
  currency_code: text,
  rate: decimal,
  value: decimal,
});

export interface SiteConfig {
  app_code: number;
  app_version: string;
  demo: boolean;
  down_logo: string;
  features: Record<string, boolean>;
  h5_version: Dec;
  hk_url: string;
  jie_url: string;
  site_logo: string;
  site_name: string;
  support_url: string;
  telegram_url: string;
  whatsApp_url: string;
  zxkf_url: string;
}

export const siteConfigShape: Shape<SiteConfig> = object({
  app_code: whole,
  app_version: text,
  demo: flag,
  down_logo: text,
  features: map(flag),
  h5_version: decimal,
  hk_url: text,
  jie_url: text,
  site_logo: text,
  site_name: text,
  support_url: text,
  telegram_url: text,
  whatsApp_url: text,
  zxkf_url: text,
});

export type CommonFiatRatesFields = Record<never, never>;

/** `GET /api/fiat/rates` */
export const commonFiatRates: CallShape<
  CommonFiatRatesFields,
  {
    rates: FiatRate[];
    save_time: number;
  },
  {
    rates: FiatRate[];
  }
> = describeCall(
  'GET',
  '/fiat/rates',
  object({
    rates: list(fiatRateShape),
    save_time: whole,
  }),
  object({
    rates: list(fiatRateShape),
  }),
);

export interface CommonSettingFields {
  keyword: string;
}

/** `GET /api/getSetting` */
export const commonSetting: CallShape<
  CommonSettingFields,
  {
    key: string;
    value: string;
  } | null
> = describeCall(
  'GET',
  '/getSetting',
  either(
    object({
      key: text,
      value: text,
    }),
    nothing,
  ),
);

export type CommonSiteConfigFields = Record<never, never>;

/** `GET /api/getSiteConfig` */
export const commonSiteConfig: CallShape<CommonSiteConfigFields, SiteConfig> = describeCall(
  'GET',
  '/getSiteConfig',
  siteConfigShape,
);
