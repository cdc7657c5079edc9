;; Hamming distances, 16 bytes at a time (WebAssembly core specification 2.0, vector instructions).
;; binary-vectors.ts says where things stand in the memory; `npm run generate -- wasm` makes hamming-distances.wasm of this.
(module
  (import "host" "memory" (memory 1))
  ;; All five are addresses: of the first row of 32 bytes, of a byte a row that says whether there is one, of a byte a
  ;; row that says whether it is asked for, of a 16-bit distance a row, and of the end of the second.
  ;; The query's 32 bytes stand at 0, from 32 on a 32-bit count of the rows of each distance.
  (func (export "measure")
    (param $row i32) (param $known i32) (param $mask i32) (param $distance i32) (param $end i32)
    (local $low v128) (local $high v128) (local $bits v128) (local $different i32)
    (local.set $low (v128.load (i32.const 0)))
    (local.set $high (v128.load offset=16 (i32.const 0)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $known) (local.get $end)))
        (if (i32.and (i32.load8_u (local.get $known)) (i32.load8_u (local.get $mask)))
          (then
            ;; Bits that differ in each byte of one half, and of the other.
            (local.set $bits
              (i8x16.add
                (i8x16.popcnt (v128.xor (v128.load (local.get $row)) (local.get $low)))
                (i8x16.popcnt (v128.xor (v128.load offset=16 (local.get $row)) (local.get $high)))))
            (local.set $bits
              (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bits))))
            (local.set $different
              (i32.add
                (i32.add (i32x4.extract_lane 0 (local.get $bits)) (i32x4.extract_lane 1 (local.get $bits)))
                (i32.add (i32x4.extract_lane 2 (local.get $bits)) (i32x4.extract_lane 3 (local.get $bits)))))
            (i32.store16 (local.get $distance) (local.get $different))
            (local.set $different (i32.shl (local.get $different) (i32.const 2)))
            (i32.store offset=32
              (local.get $different)
              (i32.add (i32.load offset=32 (local.get $different)) (i32.const 1))))
          (else (i32.store16 (local.get $distance) (i32.const 0xffff))))
        (local.set $row (i32.add (local.get $row) (i32.const 32)))
        (local.set $known (i32.add (local.get $known) (i32.const 1)))
        (local.set $mask (i32.add (local.get $mask) (i32.const 1)))
        (local.set $distance (i32.add (local.get $distance) (i32.const 2)))
        (br $next)))))
