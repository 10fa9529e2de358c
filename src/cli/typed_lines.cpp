#include <cstdio>

#include "cli/line_source.h"

#ifdef SCHEMAMEM_HAS_LIBEDIT
#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <filesystem>

#include "cli/signals.h"
#endif

namespace schemamem {
namespace {

#ifdef SCHEMAMEM_HAS_LIBEDIT

namespace fs = std::filesystem;

constexpr int kRemembered = 1000;  // lines of history

/// Where lines outlive a conversation; empty if the surroundings name no place.
fs::path history_file() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  fs::path place = variable("XDG_STATE_HOME");
  if (!place.is_absolute()) {
    place = variable("HOME");
    if (!place.is_absolute()) return {};
    place = place / ".local" / "state";
  }
  return place / "schemamem/talk_history";
}

std::string common_beginning(const std::vector<std::string>& words) {
  std::string begin = words.front();
  for (const std::string& word : words) {
    const auto differs = std::mismatch(begin.begin(), begin.end(), word.begin(), word.end()).first;
    begin.erase(differs, begin.end());
  }
  return begin;
}

class EditedLines final : public LineSource {
 public:
  EditedLines(std::size_t longest, Complete complete)
      : longest_(longest), complete_(std::move(complete)), file_(history_file()) {
    std::setlocale(LC_CTYPE, "");  // letters that are more than a byte
    editor_ = el_init("schemamem-talk", stdin, stdout, stderr);
    history_ = history_init();
    if (editor_ == nullptr || history_ == nullptr) return;
    HistEvent event;
    history(history_, &event, H_SETSIZE, kRemembered);
    history(history_, &event, H_SETUNIQUE, 1);
    if (!file_.empty()) history(history_, &event, H_LOAD, file_.c_str());
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, &EditedLines::prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_GETCFN, &EditedLines::read_letter);
    el_set(editor_, EL_ADDFN, "schemamem-complete", "Complete a word", &EditedLines::complete_word);
    el_set(editor_, EL_BIND, "^I", "schemamem-complete", nullptr);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  }
  EditedLines(const EditedLines&) = delete;
  EditedLines& operator=(const EditedLines&) = delete;
  ~EditedLines() override {
    if (history_ != nullptr) {
      keep_history();
      history_end(history_);
    }
    if (editor_ != nullptr) el_end(editor_);
  }

  bool works() const { return editor_ != nullptr && history_ != nullptr; }

  SaidLine next(const std::string& prompt) override {
    prompt_ = prompt;
    const StopOnKey key;
    int count = 0;
    const char* const text = el_gets(editor_, &count);
    if (key.pressed()) {
      el_reset(editor_);
      std::fputc('\n', stdout);
      std::fflush(stdout);
      return {.kind = SaidLine::Kind::kStopped};
    }
    if (text == nullptr || count <= 0) {
      std::fputc('\n', stdout);
      std::fflush(stdout);
      return {};
    }
    SaidLine line{.kind = SaidLine::Kind::kLine, .text = std::string(text, static_cast<std::size_t>(count))};
    while (!line.text.empty() && (line.text.back() == '\n' || line.text.back() == '\r')) line.text.pop_back();
    if (line.text.size() > longest_) return {.kind = SaidLine::Kind::kTooLong};
    HistEvent event;
    if (line.text.find_first_not_of(" \t") != std::string::npos) history(history_, &event, H_ENTER, line.text.c_str());
    return line;
  }

 private:
  static EditedLines& self(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<EditedLines*>(data);
  }

  static char* prompt(EditLine* editor) { return self(editor).prompt_.data(); }

  /// libedit's own reading tries again after a signal; here Ctrl-C ends the line.
  static int read_letter(EditLine* /*editor*/, wchar_t* letter) {
    std::array<char, 8> bytes{};
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      const ssize_t got = ::read(STDIN_FILENO, &bytes[size - 1], 1);
      if (got <= 0) return static_cast<int>(got);
      std::mbstate_t whole{};
      const std::size_t used = std::mbrtowc(letter, bytes.data(), size, &whole);
      if (used == static_cast<std::size_t>(-2)) continue;  // more of the letter follows
      if (used == static_cast<std::size_t>(-1)) *letter = L'?';
      if (used == 0) *letter = L' ';
      return 1;
    }
    *letter = L'?';
    return 1;
  }

  static unsigned char complete_word(EditLine* editor, int /*key*/) {
    EditedLines& lines = self(editor);
    const LineInfo* const line = el_line(editor);
    const std::string before(line->buffer, line->cursor);
    const std::vector<std::string> words = lines.complete_(before);
    if (words.empty()) return CC_REFRESH_BEEP;
    const std::string begin = before.substr(before.find_last_of(" \t") + 1);
    std::string added = common_beginning(words);
    added.erase(0, std::min(begin.size(), added.size()));
    if (words.size() == 1 && !words.front().ends_with('/')) added += ' ';
    if (!added.empty()) return el_insertstr(editor, added.c_str()) == 0 ? CC_REFRESH : CC_REFRESH_BEEP;
    std::fputc('\n', stdout);
    for (const std::string& word : words) std::fprintf(stdout, "%s  ", word.c_str());
    std::fputc('\n', stdout);
    return CC_REDISPLAY;
  }

  /// History is a convenience: where it cannot be kept, nothing is said.
  void keep_history() {
    if (file_.empty()) return;
    std::error_code ignored;
    fs::create_directories(file_.parent_path(), ignored);
    HistEvent event;
    history(history_, &event, H_SAVE, file_.c_str());
  }

  std::size_t longest_;
  Complete complete_;
  fs::path file_;
  std::string prompt_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
};

#endif

class PromptedLines final : public LineSource {
 public:
  PromptedLines(std::istream& in, std::size_t longest) : lines_(lines_of(in, longest)) {}

  SaidLine next(const std::string& prompt) override {
    std::fputs(prompt.c_str(), stdout);
    std::fflush(stdout);
    return lines_->next(prompt);
  }

 private:
  std::unique_ptr<LineSource> lines_;
};

}  // namespace

std::unique_ptr<LineSource> typed_lines(std::istream& in, std::size_t longest, [[maybe_unused]] Complete complete) {
#ifdef SCHEMAMEM_HAS_LIBEDIT
  auto edited = std::make_unique<EditedLines>(longest, std::move(complete));
  if (edited->works()) return edited;
#endif
  return std::make_unique<PromptedLines>(in, longest);
}

}  // namespace schemamem
