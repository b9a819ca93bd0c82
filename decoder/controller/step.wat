;; One step of a controller in JavaScript, beside QuickJS and in its memory: the loops over all candidates, which take
;; twice as long in JavaScript. The host writes an encoded step (see `protocol`) to the message's place.
(module
  (import "quickjs" "memory" (memory 1))
  (import "quickjs" "__indirect_function_table" (table $functions 1 funcref))
  (import "quickjs" "qjs_new_string" (func $string_handle (param i32 i32) (result i32)))
  (import "quickjs" "qjs_call" (func $call (param i32 i32 i32 i32) (result i32)))
  (import "quickjs" "qjs_get_string" (func $chars (param i32) (result i32)))
  (import "quickjs" "qjs_free_cstring" (func $free_chars (param i32)))
  (import "quickjs" "qjs_free_value" (func $free_handle (param i32)))
  (import "quickjs" "qjs_is_exception" (func $is_exception (param i32) (result i32)))
  (import "quickjs" "qjs_is_job_pending" (func $is_job_pending (result i32)))
  (import "quickjs" "qjs_is_number" (func $is_number (param i32) (result i32)))
  (import "quickjs" "JS_NewAtomLen" (func $atom (param i32 i32 i32) (result i32)))
  (import "quickjs" "JS_NewNumber" (func $number (param i32 f64) (result i64)))
  (import "quickjs" "JS_NewStringLen" (func $string (param i32 i32 i32) (result i64)))
  (import "quickjs" "JS_NewObjectFrom" (func $object (param i32 i32 i32 i32) (result i64)))
  (import "quickjs" "JS_NewArrayFrom" (func $array (param i32 i32 i32) (result i64)))
  (import "quickjs" "JS_NewCFunction2" (func $function (param i32 i32 i32 i32 i32 i32) (result i64)))
  (import "quickjs" "JS_GetGlobalObject" (func $global (param i32) (result i64)))
  (import "quickjs" "JS_SetPropertyStr" (func $set (param i32 i64 i32 i64) (result i32)))
  (import "quickjs" "JS_GetPropertyUint32" (func $element (param i32 i64 i32) (result i64)))
  (import "quickjs" "JS_GetLength" (func $length (param i32 i64 i32) (result i32)))
  (import "quickjs" "JS_IsArray" (func $is_array (param i64) (result i32)))
  (import "quickjs" "JS_ToFloat64" (func $float (param i32 i32 i64) (result i32)))
  (import "quickjs" "JS_GetArrayBuffer" (func $bytes (param i32 i32 i64) (result i32)))
  (import "quickjs" "JS_FreeValue" (func $free (param i32 i64)))

  (global $context (mut i32) (i32.const 0))
  (global $keys (mut i32) (i32.const 0))
  (global $message (mut i32) (i32.const 0))
  (global $biases (mut i32) (i32.const 0))
  (global $values (mut i32) (i32.const 0))
  (global $answer (mut i32) (i32.const 0))
  (global $program (mut i32) (i32.const 0))
  (global $spelled (mut i32) (i32.const 0))
  (global $undefined (mut i32) (i32.const 0))
  (global $exception i64 (i64.const 0x600000000))
  (elem declare func $candidates)

  ;; makes the function `candidates$`; at `names` are that name with its zero, then id, text and logprob, and afterwards
  ;; the keys of these
  (func (export "begin") (param $in i32) (param $names i32)
    (global.set $context (local.get $in))
    (drop (call $set (local.get $in) (call $global (local.get $in)) (local.get $names)
      (call $function (local.get $in) (table.grow $functions (ref.func $candidates) (i32.const 1)) (local.get $names)
        (i32.const 1) (i32.const 0) (i32.const 0))))
    (i32.store (local.get $names)
      (call $atom (local.get $in) (i32.add (local.get $names) (i32.const 12)) (i32.const 2)))
    (i32.store offset=4 (local.get $names)
      (call $atom (local.get $in) (i32.add (local.get $names) (i32.const 14)) (i32.const 4)))
    (i32.store offset=8 (local.get $names)
      (call $atom (local.get $in) (i32.add (local.get $names) (i32.const 18)) (i32.const 7)))
    (global.set $keys (local.get $names)))

  ;; where the message is, the biases and room for as many values and one answer; functions of what was written and of an
  ;; answer
  (func (export "prepare")
    (param $at i32) (param $out i32) (param $room i32) (param $kept i32) (param $step i32) (param $spell i32)
    (param $none i32)
    (global.set $message (local.get $at))
    (global.set $biases (local.get $out))
    (global.set $values (local.get $room))
    (global.set $answer (local.get $kept))
    (global.set $program (local.get $step))
    (global.set $spelled (local.get $spell))
    (global.set $undefined (local.get $none)))

  ;; twice the place of the program's answer as text, which stays until the next step, or twice 1 where the answer is a
  ;; number for each candidate: these are the biases. One more, if something is left to run. -1 where it threw.
  (func (export "step") (result i32)
    (local $answer i32) (local $text i32)
    (if (i32.load (global.get $answer)) (then
      (call $free_chars (i32.load offset=4 (global.get $answer)))
      (call $free_handle (i32.load (global.get $answer)))
      (i32.store (global.get $answer) (i32.const 0))))
    (local.set $answer (call $of (global.get $program)
      (call $string_handle (call $after_arrays (global.get $message)) (i32.load offset=8 (global.get $message)))))
    (if (call $is_exception (local.get $answer)) (then (return (i32.const -1))))
    (if (call $biased (i64.load (local.get $answer)))
      (then
        (call $free_handle (local.get $answer))
        (local.set $text (i32.const 1)))
      (else
        (local.set $answer (call $of (global.get $spelled) (local.get $answer)))
        (if (call $is_exception (local.get $answer)) (then (return (i32.const -1))))
        (local.set $text (call $chars (local.get $answer)))
        (if (i32.eqz (local.get $text)) (then (return (i32.const -1))))
        (i32.store (global.get $answer) (local.get $answer))
        (i32.store offset=4 (global.get $answer) (local.get $text))))
    (i32.or (i32.shl (local.get $text) (i32.const 1)) (call $is_job_pending)))

  ;; what a function says of a value, which is freed
  (func $of (param $function i32) (param $value i32) (result i32)
    (local $result i32)
    (i32.store (global.get $values) (local.get $value))
    (local.set $result (call $call (local.get $function) (global.get $undefined) (i32.const 1) (global.get $values)))
    (call $free_handle (local.get $value))
    (local.get $result))

  (func $after_arrays (param $at i32) (result i32)
    (i32.add (i32.add (local.get $at) (i32.const 16)) (i32.mul (i32.load offset=4 (local.get $at)) (i32.const 12))))

  ;; whether a value is a list with a number for each candidate
  (func $biased (param $list i64) (result i32)
    (local $count i32) (local $index i32) (local $one i64)
    (if (i32.eqz (call $is_array (local.get $list))) (then (return (i32.const 0))))
    (if (i32.lt_s (call $length (global.get $context) (local.get $list) (global.get $values)) (i32.const 0))
      (then (return (i32.const 0))))
    (local.set $count (i32.load offset=4 (global.get $message)))
    (if (i64.ne (i64.load (global.get $values)) (i64.extend_i32_u (local.get $count))) (then (return (i32.const 0))))
    (loop $next
      (if (i32.lt_u (local.get $index) (local.get $count)) (then
        (local.set $one (call $element (global.get $context) (local.get $list) (local.get $index)))
        (if (i64.lt_u (local.get $one) (i64.const 0x100000000))
          (then (f64.store (global.get $values) (f64.convert_i32_s (i32.wrap_i64 (local.get $one)))))
          (else
            (i64.store (global.get $values) (local.get $one))
            (if (i32.eqz (call $is_number (global.get $values))) (then
              (call $free (global.get $context) (local.get $one))
              (return (i32.const 0))))
            (drop (call $float (global.get $context) (global.get $values) (local.get $one)))))
        (f32.store (i32.add (global.get $biases) (i32.mul (local.get $index) (i32.const 4)))
          (f32.demote_f64 (f64.load (global.get $values))))
        (local.set $index (i32.add (local.get $index) (i32.const 1)))
        (br $next))))
    (i32.const 1))

  ;; the candidates of a message in an ArrayBuffer
  (func $candidates (param $in i32) (param $this i64) (param $given i32) (param $arguments i32) (result i64)
    (local $at i32) (local $text_at i32) (local $long i32) (local $count i32) (local $one i64)
    (local $numbers i32) (local $room i32) (local $last i32)
    (local.set $at (call $bytes (local.get $in) (global.get $values) (i64.load (local.get $arguments))))
    (local.set $count (i32.load offset=4 (local.get $at)))
    (local.set $text_at (i32.add (call $after_arrays (local.get $at)) (i32.load offset=8 (local.get $at))))
    (local.set $numbers (i32.add (local.get $at) (i32.const 16)))
    (local.set $last (i32.add (local.get $numbers) (i32.mul (local.get $count) (i32.const 4))))
    (local.set $room (global.get $values))
    (loop $next
      (if (i32.lt_u (local.get $numbers) (local.get $last)) (then
        (local.set $long (i32.load (i32.add (local.get $numbers) (i32.mul (local.get $count) (i32.const 8)))))
        (local.set $one (call $string (local.get $in) (local.get $text_at) (local.get $long)))
        (if (i64.eq (local.get $one) (global.get $exception)) (then (return (local.get $one))))
        (i64.store offset=8 (local.get $room) (local.get $one))
        (i64.store (local.get $room) (i64.load32_u (local.get $numbers)))  ;; an integer is itself
        (i64.store offset=16 (local.get $room) (call $number (local.get $in) (f64.promote_f32
          (f32.load (i32.add (local.get $numbers) (i32.mul (local.get $count) (i32.const 4)))))))
        (local.set $one (call $object (local.get $in) (i32.const 3) (global.get $keys) (local.get $room)))
        (if (i64.eq (local.get $one) (global.get $exception)) (then (return (local.get $one))))
        (i64.store (local.get $room) (local.get $one))
        (local.set $room (i32.add (local.get $room) (i32.const 8)))
        (local.set $text_at (i32.add (local.get $text_at) (local.get $long)))
        (local.set $numbers (i32.add (local.get $numbers) (i32.const 4)))
        (br $next))))
    (call $array (local.get $in) (local.get $count) (global.get $values))))
