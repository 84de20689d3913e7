public class Todo {
  public String todoId;
  public String todoTitle;
  public boolean finished;
  public String createdAt;

  public Todo() {}

  public Todo(String todoId, String todoTitle, boolean finished, String createdAt) {
    this.todoId = todoId;
    this.todoTitle = todoTitle;
    this.finished = finished;
    this.createdAt = createdAt;
  }
}
