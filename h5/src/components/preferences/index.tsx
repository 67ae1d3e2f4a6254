/** Language and fiat, chosen in sheets that load when they are opened. */
import { OnDemand, type Opens } from '@/components/ui';

const loadFiat = async () => (await import('./FiatSheet')).FiatSheet;
const loadLanguage = async () => (await import('./LanguageSheet')).LanguageSheet;

export const FiatSheet = (props: Opens) => <OnDemand load={loadFiat} {...props} />;
export const LanguageSheet = (props: Opens) => <OnDemand load={loadLanguage} {...props} />;
