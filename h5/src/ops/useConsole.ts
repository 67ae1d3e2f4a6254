/** The console's line to the exchange: logs in, listens, comes back by itself. */
import { useCallback, useEffect, useState } from 'react';
import { EMPTY, hear, type Model } from './model';
import type { Frame, Traced } from './types';

export type Door = 'looking' | 'closed' | 'open';
const AGAIN_MS = 1_500;

/** Why a login did not succeed; nothing when it did. */
export async function login(token: string): Promise<string | null> {
  const body = JSON.stringify({ token });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch('/ops/login', { method: 'POST', headers, body }).catch(() => null);
  if (!answer) return 'The exchange does not answer.';
  if (answer.ok) return null;
  return answer.status === 429 ? 'Too many tries. Wait a minute.' : 'That is not the token.';
}

export async function trace(order: number): Promise<Traced> {
  const answer = await fetch(`/ops/trace/${order}`);
  if (!answer.ok) throw new Error(`the exchange answered ${answer.status}`);
  return (await answer.json()) as Traced;
}

const socketUrl = () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ops/socket`;

export function useConsole() {
  const [door, setDoor] = useState<Door>('looking');
  const [model, setModel] = useState<Model>(EMPTY);
  const [connected, setConnected] = useState(false);

  const look = useCallback(async () => {
    const answer = await fetch('/ops/session').catch(() => null);
    // One that does not answer says nothing about the session.
    if (!answer?.ok) return;
    const { open } = (await answer.json()) as { open: boolean };
    setDoor(open ? 'open' : 'closed');
  }, []);

  useEffect(() => {
    void look();
  }, [look]);

  useEffect(() => {
    if (door !== 'open') return;
    let over = false;
    let socket: WebSocket | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      socket = new WebSocket(socketUrl());
      socket.onopen = () => setConnected(true);
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(String(data)) as Frame;
        setModel((model) => hear(model, frame, Date.now()));
      };
      socket.onclose = () => {
        setConnected(false);
        if (over) return;
        void look();
        again = setTimeout(connect, AGAIN_MS);
      };
    };
    connect();
    return () => {
      over = true;
      clearTimeout(again);
      socket?.close();
    };
  }, [door, look]);

  const leave = useCallback(async () => {
    await fetch('/ops/logout', { method: 'POST' }).catch(() => null);
    setModel(EMPTY);
    setDoor('closed');
  }, []);

  return { door, model, connected, enter: () => setDoor('open'), leave };
}
