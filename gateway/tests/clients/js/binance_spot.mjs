// @binance/spot, the official one: its typed REST, websocket API and streams, each call by its own name and fields.
import { Spot } from '@binance/spot';
import { hear, serve } from './bridge.mjs';

// It gives up after a second, which is too short for a busy machine.
const timeout = 60_000;

class Client {
  constructor({ base, api, streams }, [apiKey, apiSecret]) {
    this.spot = new Spot({
      configurationRestAPI: { apiKey, apiSecret, basePath: base, timeout },
      configurationWebsocketAPI: { apiKey, apiSecret, wsURL: api, timeout },
      configurationWebsocketStreams: { wsURL: streams },
    });
  }

  async rest(method, fields) {
    return await (await this.spot.restAPI[method](fields)).data();
  }

  /** A call of the websocket API, whose connection is opened for the first. */
  async socket(method, fields) {
    this.api ??= await this.spot.websocketAPI.connect();
    // One answer a connection, when a call is made on all of them.
    const [told] = [await this.api[method](fields)].flat();
    // Private events come by the answer to their subscription.
    told.stream?.on('message', hear);
    return (await told.response?.data) ?? told.data;
  }

  /** Listens to a stream; gives the first event of it. */
  async first(method, fields) {
    this.streams ??= await this.spot.websocketStreams.connect();
    const stream = this.streams[method](fields);
    return await new Promise((resolve) => stream.on('message', resolve));
  }

  async close() {
    await this.api?.disconnect();
    await this.streams?.disconnect();
  }
}

serve((addresses, key) => new Client(addresses, key));
