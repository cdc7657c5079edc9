/** Unpredictable numbers in small amounts, drawn from the system's generator a block at a time. */
import { randomFillSync } from "node:crypto";

const block = Buffer.alloc(8192);
let used = block.length;

/** 0 … 255. */
export function randomByte(): number {
  if (used >= block.length) {
    randomFillSync(block);
    used = 0;
  }
  return block[used++] as number;
}

/** 0 … 65535. */
export const randomUint16 = (): number => (randomByte() << 8) | randomByte();
