/**
 * The three functions of the `reflect-metadata` proposal that @peculiar/x509's dependency tsyringe insists on when it is
 * loaded. To be imported before @peculiar/x509.
 */
const store = new WeakMap<object, Map<unknown, unknown>>();

const own = (key: unknown, target: object): unknown => store.get(target)?.get(key);

function inherited(key: unknown, target: object): unknown {
  for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
    if (store.get(at)?.has(key)) return own(key, at);
  }
  return undefined;
}

function define(key: unknown, value: unknown, target: object): void {
  const known = store.get(target) ?? new Map<unknown, unknown>();
  store.set(target, known.set(key, value));
}

if (!("getMetadata" in Reflect)) {
  Object.assign(Reflect, { getMetadata: inherited, getOwnMetadata: own, defineMetadata: define });
}
