import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/api/v1/todos")
public class TodoController {
  private static final Map<String, String> NOT_FOUND = Collections.singletonMap("message", "Resource not found.");
  private static final Map<String, String> INVALID =
      Collections.singletonMap("message", "todoTitle must have 1 to 30 characters.");
  private static final RowMapper<Todo> ROW =
      (row, number) ->
          new Todo(row.getString(1), row.getString(2), row.getInt(3) == 1, row.getString(4));

  private final JdbcTemplate jdbc;

  public TodoController(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  @GetMapping
  public List<Todo> findAll() {
    return jdbc.query("select * from todo order by rowid", ROW);
  }

  @PostMapping
  public ResponseEntity<?> create(@RequestBody JsonNode body) {
    JsonNode title = body.get("todoTitle");
    if (title == null || !title.isTextual() || title.asText().isEmpty() || title.asText().length() > 30)
      return ResponseEntity.badRequest().body(INVALID);
    Todo todo = new Todo(UUID.randomUUID().toString(), title.asText(), false, Instant.now().toString());
    jdbc.update("insert into todo values (?, ?, 0, ?)", todo.todoId, todo.todoTitle, todo.createdAt);
    return ResponseEntity.created(URI.create("/api/v1/todos/" + todo.todoId)).body(todo);
  }

  @GetMapping("/{id}")
  public ResponseEntity<?> find(@PathVariable("id") String id) {
    List<Todo> found = jdbc.query("select * from todo where todo_id = ?", ROW, id);
    return found.isEmpty() ? notFound() : ResponseEntity.ok(found.get(0));
  }

  @PutMapping("/{id}")
  public ResponseEntity<?> finish(@PathVariable("id") String id) {
    return jdbc.update("update todo set finished = 1 where todo_id = ?", id) == 0 ? notFound() : find(id);
  }

  @DeleteMapping("/{id}")
  public ResponseEntity<?> remove(@PathVariable("id") String id) {
    return jdbc.update("delete from todo where todo_id = ?", id) == 0
        ? notFound()
        : ResponseEntity.noContent().build();
  }

  private static ResponseEntity<?> notFound() {
    return ResponseEntity.status(HttpStatus.NOT_FOUND).body(NOT_FOUND);
  }
}
