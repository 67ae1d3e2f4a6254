/** Pictures of a document: small side by side, and large, where they are zoomed and turned together with what was entered. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import css from './admin.module.css';
import type { Side } from './types';

const NAMES: Record<Side, string> = { front: 'Front', reverse: 'Back' };
const ZOOMS = [1, 1.5, 2, 3, 4] as const;

interface PictureProps {
  id: number;
  side: Side;
  zoom?: number;
  turns?: number;
  /** Present: the picture is a button. */
  enlarge?: () => void;
}

function Picture({ id, side, zoom = 1, turns = 0, enlarge }: PictureProps) {
  const [tries, setTries] = useState(0);
  const [isLost, setIsLost] = useState(false);
  if (isLost) {
    return (
      <div className={css.lost} role="alert">
        <span>{NAMES[side]} did not come.</span>
        <button
          type="button"
          className={css.quiet}
          onClick={() => {
            setTries(tries + 1);
            setIsLost(false);
          }}
        >
          Try again
        </button>
      </div>
    );
  }
  const image = (
    <img
      key={tries}
      src={`/admin/api/verifications/${id}/pictures/${side}`}
      alt={NAMES[side]}
      // On its side it needs a square, else its own height.
      style={{ width: `${zoom * 100}%`, rotate: `${turns * 90}deg`, aspectRatio: turns % 2 === 1 ? '1' : undefined }}
      onError={() => setIsLost(true)}
    />
  );
  if (!enlarge) return image;
  return (
    <button type="button" className={css.row} aria-label={`Enlarge: ${NAMES[side]}`} onClick={enlarge}>
      {image}
    </button>
  );
}

interface Props {
  id: number;
  sides: Side[];
  /** As entered, to be compared. */
  name: string;
  number: string;
}

export function Pictures({ id, sides, name, number }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isLarge, setIsLarge] = useState(false);
  const [step, setStep] = useState(0);
  const [turns, setTurns] = useState<Record<Side, number>>({ front: 0, reverse: 0 });
  const zoom = ZOOMS[step] ?? 1;
  const nearer = () => setStep(Math.min(ZOOMS.length - 1, step + 1));
  const farther = () => setStep(Math.max(0, step - 1));
  const turn = (side: Side) => setTurns({ ...turns, [side]: turns[side] + 1 });

  useEffect(() => {
    if (isLarge) dialog.current?.showModal();
  }, [isLarge]);

  const key = (event: KeyboardEvent) => {
    if (event.key === '+' || event.key === '=') nearer();
    else if (event.key === '-') farther();
  };
  return (
    <>
      <div className={css.pictures}>
        {sides.map((side) => (
          <figure key={side}>
            <Picture id={id} side={side} enlarge={() => setIsLarge(true)} />
            <figcaption>{NAMES[side]}</figcaption>
          </figure>
        ))}
      </div>
      {isLarge && (
        <dialog
          ref={dialog}
          className={`${css.dialog} ${css.viewer}`}
          aria-label="Pictures of the document"
          onKeyDown={key}
          onClose={() => setIsLarge(false)}
        >
          <header className={css.detailHead}>
            <h2>{name}</h2>
            <code>{number}</code>
            <span className={css.space} />
            <button
              type="button"
              className={css.quiet}
              disabled={step === 0}
              onClick={farther}
              aria-label="Zoom out ( - )"
            >
              −
            </button>
            <output aria-label="Zoom">{zoom * 100} %</output>
            <button
              type="button"
              className={css.quiet}
              disabled={step === ZOOMS.length - 1}
              onClick={nearer}
              aria-label="Zoom in ( + )"
            >
              +
            </button>
            <button
              type="button"
              className={css.quiet}
              onClick={() => dialog.current?.close()}
              aria-label="Close (Escape)"
            >
              Close
            </button>
          </header>
          <div className={css.large}>
            {sides.map((side) => (
              <figure key={side}>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
                <section className={css.frame} aria-label={`${NAMES[side]}, large`} tabIndex={0}>
                  <Picture id={id} side={side} zoom={zoom} turns={turns[side]} />
                </section>
                <figcaption>
                  {NAMES[side]}
                  <button
                    type="button"
                    className={css.quiet}
                    onClick={() => turn(side)}
                    aria-label={`Turn: ${NAMES[side]}`}
                  >
                    Turn
                  </button>
                </figcaption>
              </figure>
            ))}
          </div>
        </dialog>
      )}
    </>
  );
}
