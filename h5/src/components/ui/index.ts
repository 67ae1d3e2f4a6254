/** The app's own widget kit. Pages import from here, never from the single files. */
export { Button, type ButtonTone, IconButton } from './Button';
export { CoinIcon } from './CoinIcon';
export { Badge, type BadgeTone, Change, LiveBadge, Price } from './Figures';
export { CodeInput, Input, type InputProps, PasswordInput } from './Input';
export { InfiniteList, List, ListItem } from './List';
export { NavBar, useDocumentTitle } from './NavBar';
export { OfflineBar, useOnline } from './OfflineBar';
export { ConfirmDialog, Dialog, Sheet } from './Overlay';
export { PageFade } from './PageFade';
export { PullRefresh } from './PullRefresh';
export { type Option, OptionList, Select } from './Select';
export { BusyIndicator, Spinner } from './Spinner';
export { Delayed, Empty, ErrorState, Skeleton, SkeletonRows } from './States';
export { cleanDecimal, PercentChips, Slider, Stepper } from './Stepper';
export { TabBar } from './TabBar';
export { type TabItem, Tabs } from './Tabs';
export { Toaster } from './Toaster';
export { Checkbox } from './Toggle';
