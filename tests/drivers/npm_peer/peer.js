// `node peer.js server` or `node peer.js client PORT`: modbus-serial, worked by one JSON object a line on standard
// input, one answer a line back. Server: {"op":"get"|"put"}; client: {"op":"read"|"write"}; all with "address" and
// "count" or "words". The first line says that it is there: {"port": n}.
"use strict";
const readline = require("readline");
const Modbus = require("modbus-serial");

const REGISTERS = 256;
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

function each(work) {
  const lines = readline.createInterface({ input: process.stdin });
  let turn = Promise.resolve();
  lines.on("line", (line) => {
    turn = turn.then(() => work(JSON.parse(line))).then(say, (error) => say({ error: String(error.message) }));
  });
  lines.on("close", () => process.exit(0));
}

function serve() {
  const bank = new Array(REGISTERS).fill(0);
  const vector = {
    getHoldingRegister: (address) => bank[address],
    setRegister: (address, value) => { bank[address] = value; },
  };
  const server = new Modbus.ServerTCP(vector, { host: "127.0.0.1", port: 0, unitID: 1 });
  server.on("initialized", () => say({ port: server._server.address().port }));
  each(({ op, address, count, words }) => {
    if (op === "get") return { words: bank.slice(address, address + count) };
    words.forEach((word, at) => { bank[address + at] = word; });
    return {};
  });
}

async function ask(port) {
  const client = new Modbus();
  await client.connectTCP("127.0.0.1", { port });
  client.setID(1);
  client.setTimeout(5000);
  say({ port });
  each(async ({ op, address, count, words }) => {
    if (op === "read") return { words: (await client.readHoldingRegisters(address, count)).data };
    await client.writeRegisters(address, words);
    return {};
  });
}

if (process.argv[2] === "server") serve();
else ask(Number(process.argv[3]));
