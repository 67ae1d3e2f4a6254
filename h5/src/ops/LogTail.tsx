/** The tail of the log, newest first. */
import { readable } from './model';
import css from './ops.module.css';
import { Panel } from './Parts';
import type { LogLine } from './types';

const SHOWN = 120;
const TONES: Record<string, string> = { ERROR: 'bad', WARN: 'warn' };

export function LogTail({ lines }: { lines: LogLine[] }) {
  return (
    <Panel title="Log" note={`${lines.length} lines kept here`} wide>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className={css.log} role="log" aria-label="Log, newest first" aria-live="off" tabIndex={0}>
        {lines
          .slice(-SHOWN)
          .reverse()
          .map(readable)
          .map(({ number, time, level, text }) => (
            <p key={number}>
              <time>{time}</time> <b data-tone={TONES[level]}>{level}</b> {text}
            </p>
          ))}
      </div>
    </Panel>
  );
}
