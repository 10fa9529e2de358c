#pragma once

#include "kernels/rms_norm.h"
#include "models/schemamem/engine_impl.h"

// The maps into and out of the layers: H_0 = x W_in + b, or a row of the table W_in for a symbol; logits = RMSNorm(H)
// W_out. A bare stack has neither: rows go in and come out as they are.

namespace schemamem::SCHEMAMEM_ISA {

/// Copies [rows, columns] into a wider matrix, times `scale`; what lies around it is left alone.
template <class T>
inline void copy_block(const T* from, std::size_t rows, std::size_t columns, T* to, std::size_t to_row, T scale = 1) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[i * to_row + j] = from[i * columns + j] * scale;
  }
}

template <class T, class Shape>
void Engine<T, Shape>::input_rows(const SchemaMemFolded<T>& folded, const T* x, std::size_t x_row, std::size_t rows,
                                  T* h) const {
  const std::size_t depth = config_.inputs, D = s_.D;
  if (config_.bare || config_.symbols) {
    for (std::size_t t = 0; t < rows; ++t) {
      const T* const entry = config_.bare ? x + t * x_row : folded.input + static_cast<std::size_t>(x[t * x_row]) * D;
      for (std::size_t j = 0; j < D; ++j) {
        const bool inside = !config_.bare || j < s_.width;
        h[t * D + j] = inside ? entry[j] + (config_.bare ? T(0) : folded.bias[j]) : T(0);
      }
    }
    return;
  }
  product<T>({x, x_row, 1}, {folded.input, s_.D}, rows, s_.D, depth,
             [&](auto& tile, std::size_t row, std::size_t column) {
               using Block = std::remove_reference_t<decltype(tile)>;
               for (int i = 0; i < Block::kRows; ++i) {
                 for (int v = 0; v < Block::kVecs; ++v) {
                   const std::size_t j = column + v * kLanes<T>;
                   store<T>(h + (row + i) * s_.D + j, tile.sum[i][v] + load<T>(folded.bias + j));
                 }
               }
             });
}

/// From the gradient of H_0 (t.d_h) to the input map and, if asked for, the inputs.
template <class T, class Shape>
void Engine<T, Shape>::input_backward(const SchemaMemFolded<T>& folded, const SchemaMemTape<T>& t, SchemaMemShard<T>& g,
                                      View<T, 2> d_x) const {
  const std::size_t tokens = t.tokens, inputs = config_.inputs, D = s_.D;
  for (std::size_t i = 0; i < d_x.extent(0); ++i) {
    for (std::size_t j = 0; j < inputs; ++j) {
      if (config_.bare) {
        d_x(i, j) = t.d_h[i * D + j];
        continue;
      }
      Vec<T> sum{};
      for (std::size_t k = 0; k < D; k += kLanes<T>)
        sum = multiply_add<T>(load<T>(t.d_h + i * D + k), load<T>(folded.input + j * D + k), sum);
      d_x(i, j) = horizontal_sum<T>(sum);
    }
  }
  if (config_.bare) return;
  if (config_.symbols) {
    for (std::size_t i = 0; i < tokens; ++i) {
      T* const entry = g.input + static_cast<std::size_t>(t.inputs[i * t.input_row]) * D;
      for (std::size_t j = 0; j < D; j += kLanes<T>)
        store<T>(entry + j, load<T>(entry + j) + load<T>(t.d_h + i * D + j));
    }
  } else {
    multiply_onto<T>({t.inputs, 1, t.input_row}, {t.d_h, s_.D}, g.input, s_.D, inputs, s_.D, tokens);
  }
  for (std::size_t i = 0; i < tokens; ++i) {
    for (std::size_t j = 0; j < D; j += kLanes<T>)
      store<T>(g.bias + j, load<T>(g.bias + j) + load<T>(t.d_h + i * D + j));
  }
}

template <class T, class Shape>
void Engine<T, Shape>::output_rows(const SchemaMemFolded<T>& folded, const T* normed, std::size_t rows, T* padded,
                                   View<T, 2> logits) const {
  multiply<T>({normed, s_.D, 1}, {folded.output, outputs_}, padded, outputs_, rows, outputs_, s_.D);
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < config_.outputs; ++j) logits(t, j) = padded[t * outputs_ + j];
  }
}

/// The answers of the episode on the tape, whose last layer has run.
template <class T, class Shape>
void Engine<T, Shape>::output_of_tape(const SchemaMemFolded<T>& f, SchemaMemTape<T>& t, View<T, 2> logits) const {
  const std::size_t D = s_.D, answers = t.answer_count > 0 ? t.answer_count : t.tokens;
  if (!config_.bare) {
    rms_norm_forward<T>(t.last, f.final_norm, t.normed, t.inverse_last, t.tokens, s_.width, s_.D,
                        static_cast<T>(kSchemaMemNormEps));
  }
  const T* rows = config_.bare ? t.last : t.normed;
  for (std::size_t i = 0; i < t.answer_count; ++i) copy_block<T>(rows + t.answers[i] * D, 1, D, t.answered + i * D, D);
  if (t.answer_count > 0) rows = t.answered;
  if (!config_.bare) return output_rows(f, rows, answers, t.padded_out, logits);
  for (std::size_t i = 0; i < answers; ++i) copy_block<T>(rows + i * D, 1, s_.width, &logits(i, 0), s_.width);
}

/// From the gradient of the answers to that of the last layer's output (t.d_h) and the output map.
template <class T, class Shape>
void Engine<T, Shape>::output_backward(const SchemaMemFolded<T>& f, SchemaMemTape<T>& t, View<const T, 2> d_logits,
                                       SchemaMemShard<T>& g) const {
  const auto D = s_.D;
  const std::size_t tokens = t.tokens, outputs = config_.outputs, answers = d_logits.extent(0);
  const bool all = t.answer_count == 0;
  if (config_.bare || !all) {
    for (std::size_t i = 0; i < tokens * D; ++i) t.d_rows[i] = 0;
  }
  if (config_.bare) {
    for (std::size_t i = 0; i < answers; ++i)
      copy_block<T>(&d_logits(i, 0), 1, outputs, t.d_rows + (all ? i : t.answers[i]) * D, D);
    for (std::size_t i = 0; i < tokens * D; ++i) t.d_h[i] = t.d_rows[i];
    return;
  }
  for (std::size_t i = 0; i < answers; ++i) {
    for (std::size_t j = 0; j < outputs_; ++j) t.d_out[i * outputs_ + j] = j < outputs ? d_logits(i, j) : T(0);
  }
  const T* const answered = all ? t.normed : t.answered;
  multiply_onto<T>({answered, 1, D}, {t.d_out, outputs_}, g.output, outputs_, D, outputs_, answers);
  T* const d_answered = all ? t.d_rows : t.d_y;
  multiply<T>({t.d_out, outputs_, 1}, {f.output_t, D}, d_answered, D, answers, D, outputs);
  for (std::size_t i = 0; i < t.answer_count; ++i)
    copy_block<T>(d_answered + i * D, 1, D, t.d_rows + t.answers[i] * D, D);
  for (std::size_t i = 0; i < tokens * D; ++i) t.d_h[i] = 0;
  rms_norm_backward<T>(t.last, f.final_norm, t.inverse_last, t.d_rows, t.d_h, g.final_norm, tokens, s_.width, D);
}

}  // namespace schemamem::SCHEMAMEM_ISA
