const socket = new WebSocket('wss://exchange.example/stream?streams=btcusdt@trade/btcusdt@depth5');
let count = 0;
socket.onmessage = ({ data }) => {
  const { stream, data: event } = JSON.parse(data);
  console.log(stream, event);
  count += 1;
  if (count === 5) socket.close();
};
