// Runs the service's Lua scripts as Redis does: KEYS, ARGV, `redis.call` and `redis.pcall`, and values converted both ways.
// Redis has Lua 5.1, this is 5.4: `unpack` is the only function of the scripts that has another name there.
import { LuaFactory, LUA_REGISTRYINDEX, LuaReturn, LuaType } from 'wasmoon';
import { ReplyError } from './reply-error.js';

/** Texts that are kept in Lua: keys, words of commands, ids. */
const MAX_TEXTS = 5_000;

const PRELUDE = `
unpack = table.unpack
redis = {
  call = function(...)
    local isDone, value = call_redis(...)
    if not isDone then error(value, 0) end
    return value
  end,
  pcall = function(...)
    local isDone, value = call_redis(...)
    if not isDone then return { err = value } end
    return value
  end,
}`;

export interface ScriptRun {
  readonly keys: readonly string[];
  readonly words: readonly string[];
  /** @throws ReplyError */
  readonly call: (name: string, args: readonly string[]) => unknown;
}

type RawName =
  | '_lua_rawgeti'
  | '_lua_rawseti'
  | '_lua_createtable'
  | '_lua_gettop'
  | '_lua_settop'
  | '_lua_type'
  | '_lua_topointer'
  | '_lua_tonumberx'
  | '_lua_pushinteger'
  | '_lua_pushboolean'
  | '_lua_pushvalue'
  | '_lua_pcallk'
  | '_lua_absindex'
  | '_lua_toboolean';

const engine = await new LuaFactory().createEngine({ injectObjects: false, enableProxy: false });
const { address: state, lua } = engine.global;
/** Functions of numbers alone, without wasmoon's wrapper, which took most of the time. */
type RawFunction = (...args: readonly (number | bigint)[]) => number;
const raw = lua.module as unknown as Readonly<Record<RawName, RawFunction>>;
const readType = (thread: number, place: number): LuaType => raw._lua_type(thread, place);
/** The place of each loaded script in Lua's registry. */
const loaded = new Map<string, bigint>();
/** The places of texts there, and the texts at their addresses. */
const texts = new Map<string, bigint>();
const textAt = new Map<number, string>();
/** Scripts run one at a time. */
let callRedis: ScriptRun['call'] = () => null;

engine.doStringSync(PRELUDE);
lua.lua_pushcclosure(state, lua.module.addFunction(answerCall, 'ii'), 0);
lua.lua_setglobal(state, 'call_redis');

/** @throws ReplyError as Redis answers it */
export function runScript(text: string, { keys, words, call }: ScriptRun): unknown {
  callRedis = call;
  const top = raw._lua_gettop(state);
  try {
    raw._lua_rawgeti(state, LUA_REGISTRYINDEX, loadScript(text));
    pushList(state, keys);
    pushList(state, words);
    if (raw._lua_pcallk(state, 2, 1, 0, 0, 0) !== Number(LuaReturn.Ok)) {
      throw new ReplyError(lua.lua_tolstring(state, -1, null));
    }
    return readReply(-1);
  } finally {
    raw._lua_settop(state, top);
  }
}

function loadScript(text: string): bigint {
  const known = loaded.get(text);
  if (known !== undefined) return known;
  if (lua.luaL_loadstring(state, `local KEYS, ARGV = ...\n${text}`) !== LuaReturn.Ok) {
    throw new ReplyError(`ERR Error compiling script: ${lua.lua_tolstring(state, -1, null)}`);
  }
  const place = BigInt(lua.luaL_ref(state, LUA_REGISTRYINDEX));
  loaded.set(text, place);
  return place;
}

/** Lua calls it with the words of a command; it returns whether Redis has carried it out, and its answer. */
function answerCall(thread: number): number {
  const words = Array.from({ length: raw._lua_gettop(thread) }, (_, index) => {
    const place = index + 1;
    const isNumber = readType(thread, place) === LuaType.Number;
    return isNumber ? String(raw._lua_tonumberx(thread, place, 0)) : readText(thread, place);
  });
  const [name = '', ...args] = words;
  try {
    const value = callRedis(name, args);
    raw._lua_pushboolean(thread, 1);
    pushValue(thread, value);
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;
    raw._lua_pushboolean(thread, 0);
    lua.lua_pushstring(thread, error.message);
  }
  return 2;
}

/** A text that was pushed before is not copied again: copies took most of the time of a run. */
function pushText(thread: number, text: string): void {
  const place = texts.get(text);
  if (place !== undefined) {
    raw._lua_rawgeti(thread, LUA_REGISTRYINDEX, place);
    return;
  }
  lua.lua_pushstring(thread, text);
  keepText(thread, -1, text);
}

function readText(thread: number, place: number): string {
  const known = textAt.get(raw._lua_topointer(thread, place));
  if (known !== undefined) return known;
  const text = lua.lua_tolstring(thread, place, null);
  keepText(thread, place, text);
  return text;
}

function forgetTexts(): void {
  for (const place of texts.values()) lua.luaL_unref(state, LUA_REGISTRYINDEX, Number(place));
  texts.clear();
  textAt.clear();
}

/** Lua moves no value, and a text that it holds twice has one address unless it is long. */
function keepText(thread: number, place: number, text: string): void {
  if (texts.has(text)) return;
  if (texts.size === MAX_TEXTS) forgetTexts();
  textAt.set(raw._lua_topointer(thread, place), text);
  raw._lua_pushvalue(thread, place);
  texts.set(text, BigInt(lua.luaL_ref(thread, LUA_REGISTRYINDEX)));
}

function pushList(thread: number, items: readonly unknown[]): void {
  raw._lua_createtable(thread, items.length, 0);
  for (const [index, item] of items.entries()) {
    pushValue(thread, item);
    raw._lua_rawseti(thread, -2, BigInt(index + 1));
  }
}

/** As Redis converts an answer for a script. */
function pushValue(thread: number, value: unknown): void {
  if (typeof value === 'string') pushText(thread, value);
  else if (typeof value === 'number') raw._lua_pushinteger(thread, BigInt(value));
  else if (Array.isArray(value)) pushList(thread, value);
  else raw._lua_pushboolean(thread, 0);
}

/** As Redis converts what a script returns. A list ends at the first nil. */
function readReply(place: number): unknown {
  const at = raw._lua_absindex(state, place);
  switch (readType(state, at)) {
    case LuaType.Number:
      return Math.trunc(raw._lua_tonumberx(state, at, 0));
    case LuaType.String:
      return readText(state, at);
    case LuaType.Boolean:
      return raw._lua_toboolean(state, at) === 1 ? 1 : null;
    case LuaType.Table:
      return readList(at);
    default:
      return null;
  }
}

function readList(at: number): unknown[] {
  const items: unknown[] = [];
  for (let index = 1; ; index += 1) {
    raw._lua_rawgeti(state, at, BigInt(index));
    const isEnd = readType(state, -1) === LuaType.Nil;
    if (!isEnd) items.push(readReply(-1));
    raw._lua_settop(state, -2);
    if (isEnd) return items;
  }
}
