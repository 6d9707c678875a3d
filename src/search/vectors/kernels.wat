;; The loops over vectors, in WASM SIMD. `npm run build` makes kernels-wasm.ts of it.
;;
;; A row is `stride` numbers (its dimensions, padded with zeros to a multiple of 16), once as f32 and once as codes of one byte with a
;; scale: number ≈ scale × code. Rows lie in blocks of 1024; a block has its f32 rows, then their codes, then the scales, then the radii.
;; The radius of a row is a bound of the length of (row - scale × codes). That of a removed row is NaN, with which no comparison is true.
;; The proof of the bound is in docs/decisions/0020-vectors.md.
(module
  (import "rows" "memory" (memory 1))

  ;; Adds the sixteen sums of four vectors in halves: the order that rows.ts fixes.
  (func $total (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result f32)
    (local $sum v128)
    (local.set $sum
      (f32x4.add
        (f32x4.add (local.get $a) (local.get $c))
        (f32x4.add (local.get $b) (local.get $d))))
    (local.set $sum
      (f32x4.add (local.get $sum)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $sum) (local.get $sum))))
    (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum))))

  ;; Writes the codes, the scale and the radius of one f32 row, and gives its largest number, without sign.
  (func $encodeRow
    (param $row i32) (param $stride i32) (param $codes i32) (param $scaleAt i32) (param $radiusAt i32) (result f32)
    (local $end i32) (local $at i32)
    (local $largest v128) (local $max f32) (local $scale f32) (local $inverse v128) (local $scales v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $sumA v128) (local $sumB v128) (local $sumC v128) (local $sumD v128)
    (local $x v128) (local $y v128)
    (local.set $end (i32.add (local.get $row) (i32.shl (local.get $stride) (i32.const 2))))

    (local.set $at (local.get $row))
    (loop $max
      (local.set $largest
        (f32x4.max (local.get $largest)
          (f32x4.max
            (f32x4.max (f32x4.abs (v128.load (local.get $at))) (f32x4.abs (v128.load offset=16 (local.get $at))))
            (f32x4.max (f32x4.abs (v128.load offset=32 (local.get $at))) (f32x4.abs (v128.load offset=48 (local.get $at)))))))
      (br_if $max (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $end))))
    (local.set $max
      (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $largest)) (f32x4.extract_lane 1 (local.get $largest)))
        (f32.max (f32x4.extract_lane 2 (local.get $largest)) (f32x4.extract_lane 3 (local.get $largest)))))

    ;; The scale keeps 16 bits of its fraction, so that scale × code is exact in f32 and the radius is that of what is stored.
    (local.set $scale
      (f32.reinterpret_i32
        (i32.and (i32.reinterpret_f32 (f32.div (local.get $max) (f32.const 127))) (i32.const 0xffffff00))))
    (local.set $scales (f32x4.splat (local.get $scale)))
    (local.set $inverse (f32x4.splat (f32.div (f32.const 127) (local.get $max))))

    (local.set $at (local.get $row))
    (loop $each
      (local.set $a (v128.load (local.get $at)))
      (local.set $b (v128.load offset=16 (local.get $at)))
      (local.set $c (v128.load offset=32 (local.get $at)))
      (local.set $d (v128.load offset=48 (local.get $at)))
      ;; Whatever the rounding gives, also for a row of zeros (0 × infinity is NaN, which becomes 0): the radius measures it.
      (local.set $x
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $a) (local.get $inverse))))
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $b) (local.get $inverse))))))
      (local.set $y
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $c) (local.get $inverse))))
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $d) (local.get $inverse))))))
      ;; -128 is left out, so that no sum of products can be more than 127 × the sum of the query's codes.
      (local.set $x (i8x16.max_s (i8x16.narrow_i16x8_s (local.get $x) (local.get $y)) (i8x16.splat (i32.const -127))))
      (v128.store (local.get $codes) (local.get $x))
      (local.set $codes (i32.add (local.get $codes) (i32.const 16)))

      (local.set $y (i16x8.extend_low_i8x16_s (local.get $x)))
      (local.set $x (i16x8.extend_high_i8x16_s (local.get $x)))
      (local.set $a
        (f32x4.sub (local.get $a)
          (f32x4.mul (local.get $scales) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $y))))))
      (local.set $b
        (f32x4.sub (local.get $b)
          (f32x4.mul (local.get $scales) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $y))))))
      (local.set $c
        (f32x4.sub (local.get $c)
          (f32x4.mul (local.get $scales) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $x))))))
      (local.set $d
        (f32x4.sub (local.get $d)
          (f32x4.mul (local.get $scales) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $x))))))
      (local.set $sumA (f32x4.add (local.get $sumA) (f32x4.mul (local.get $a) (local.get $a))))
      (local.set $sumB (f32x4.add (local.get $sumB) (f32x4.mul (local.get $b) (local.get $b))))
      (local.set $sumC (f32x4.add (local.get $sumC) (f32x4.mul (local.get $c) (local.get $c))))
      (local.set $sumD (f32x4.add (local.get $sumD) (f32x4.mul (local.get $d) (local.get $d))))
      (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $end))))

    (f32.store (local.get $scaleAt) (local.get $scale))
    ;; Up by more than all that f32 may have rounded off on the way: relative, and absolute where squares were too small for it.
    (f32.store (local.get $radiusAt)
      (f32.add
        (f32.mul (f32.const 1.001)
          (f32.sqrt (call $total (local.get $sumA) (local.get $sumB) (local.get $sumC) (local.get $sumD))))
        (f32.const 1e-17)))
    (local.get $max))

  ;; The same for so many rows, one after the other. Gives the largest number of all.
  (func (export "encode")
    (param $rows i32) (param $count i32) (param $stride i32) (param $codes i32) (param $scales i32) (param $radii i32) (result f32)
    (local $largest f32)
    (loop $each
      (local.set $largest
        (f32.max (local.get $largest)
          (call $encodeRow
            (local.get $rows) (local.get $stride) (local.get $codes) (local.get $scales) (local.get $radii))))
      (local.set $rows (i32.add (local.get $rows) (i32.shl (local.get $stride) (i32.const 2))))
      (local.set $codes (i32.add (local.get $codes) (local.get $stride)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $radii (i32.add (local.get $radii) (i32.const 4)))
      (br_if $each (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))
    (local.get $largest))

  ;; Lists the rows of one block with (codes · query codes) × scale × unit + radius × reach >= floor. The query's codes have two bytes:
  ;; that costs nothing here, since bytes are widened to be multiplied, and leaves the query's own rounding too small to matter.
  (func (export "listReaching")
    (param $codes i32) (param $scales i32) (param $radii i32) (param $rows i32) (param $firstRow i32) (param $stride i32)
    (param $query i32) (param $unit f64) (param $reach f64) (param $floor f64) (param $list i32) (result i32)
    (local $row i32) (local $at i32) (local $q i32) (local $end i32) (local $next i32)
    (local $a v128) (local $b v128)
    (local.set $next (local.get $list))
    (local.set $end (local.get $codes))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $row) (local.get $rows)))
        (local.set $at (local.get $end))
        (local.set $end (i32.add (local.get $end) (local.get $stride)))
        (local.set $q (local.get $query))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (loop $sixteen
          (local.set $a
            (i32x4.add (local.get $a)
              (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at)) (v128.load (local.get $q)))))
          (local.set $b
            (i32x4.add (local.get $b)
              (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at)) (v128.load offset=16 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (br_if $sixteen (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
        (local.set $a (i32x4.add (local.get $a) (local.get $b)))
        (local.set $a
          (i32x4.add (local.get $a)
            (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))))
        (i32.store (local.get $next) (i32.add (local.get $firstRow) (local.get $row)))
        (local.set $next
          (i32.add (local.get $next)
            (i32.shl
              (f64.ge
                (f64.add
                  (f64.mul
                    (f64.convert_i32_s
                      (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a))))
                    (f64.mul (local.get $unit) (f64.promote_f32 (f32.load (local.get $scales)))))
                  (f64.mul (local.get $reach) (f64.promote_f32 (f32.load (local.get $radii)))))
                (local.get $floor))
              (i32.const 2))))
        (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
        (local.set $radii (i32.add (local.get $radii) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $each)))
    (i32.shr_u (i32.sub (local.get $next) (local.get $list)) (i32.const 2)))

  ;; The scores of listed rows, in the order of sums that rows.ts fixes.
  (func (export "dots")
    (param $list i32) (param $count i32) (param $query i32) (param $stride i32) (param $blocks i32) (param $blockBytes i32)
    (param $scores i32)
    (local $row i32) (local $at i32) (local $q i32) (local $last i32) (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $last (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $list) (local.get $last)))
        (local.set $row (i32.load (local.get $list)))
        (local.set $at
          (i32.add
            (i32.add (local.get $blocks)
              (i32.mul (i32.shr_u (local.get $row) (i32.const 10)) (local.get $blockBytes)))
            (i32.mul (i32.and (local.get $row) (i32.const 1023)) (i32.shl (local.get $stride) (i32.const 2)))))
        (local.set $end (i32.add (local.get $at) (i32.shl (local.get $stride) (i32.const 2))))
        (local.set $q (local.get $query))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $sixteen
          (local.set $a
            (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $q)))))
          (local.set $b
            (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $q)))))
          (local.set $c
            (f32x4.add (local.get $c) (f32x4.mul (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $q)))))
          (local.set $d
            (f32x4.add (local.get $d) (f32x4.mul (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (br_if $sixteen (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $end))))
        (f32.store (local.get $scores) (call $total (local.get $a) (local.get $b) (local.get $c) (local.get $d)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (br $each)))))
